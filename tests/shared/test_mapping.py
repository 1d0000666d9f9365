"""The shared-or-mapped rule: one entry for all files, or one per file, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.shared.errors import FieldMappingError, MintDimError
from mintdim.shared.mapping import as_configured, check_arity, per_file

counts = st.integers(1, 6)


def refuse(file_count: int, count: int) -> MintDimError:
    return FieldMappingError(file_count=file_count, count=count)


@given(counts, counts)
def test_one_entry_or_one_per_file_is_right_and_all_else_is_refused(files: int, n: int) -> None:
    if n in (1, files):
        check_arity(["x"] * n, files, refuse)
    else:
        with pytest.raises(FieldMappingError) as caught:
            check_arity(["x"] * n, files, refuse)
        assert (caught.value.file_count, caught.value.count) == (files, n)


@given(counts)
def test_a_shared_entry_holds_for_every_file(files: int) -> None:
    assert per_file(("x",), files) == ("x",) * files


@given(st.lists(st.integers(), min_size=2, max_size=6))
def test_mapped_entries_hold_for_their_own_file(entries: list[int]) -> None:
    assert per_file(tuple(entries), len(entries)) == tuple(entries)


@given(st.lists(st.integers(), min_size=1, max_size=6), st.data())
def test_a_value_is_recorded_in_the_shape_in_which_it_was_given(
    entries: list[int], data: st.DataObject
) -> None:
    indices = data.draw(st.lists(st.sampled_from(range(len(entries))), min_size=1, unique=True))
    recorded = as_configured(tuple(entries), indices)
    if len(entries) == 1:
        assert recorded == entries[0]
    else:
        assert recorded == [entries[i] for i in indices]
