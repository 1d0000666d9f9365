"""Rules of the units block."""

from itertools import pairwise

from mintdim.pipelines.unit_build.config import UnitsConfig
from mintdim.shared.errors import UnitMappingError, UnitValidationError
from mintdim.shared.mapping import check_arity
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.structure import a_list, a_positive_int, shown

_LARGEST_UNIT = 2**32 - 1  # sample_index.bin holds unit sizes as uint32


def check_structure(sizes: object, build_batch: object) -> UnitsConfig:
    """Return the block as tuples.

    Raises ``UnitValidationError``.
    """
    return UnitsConfig(
        sizes=tuple(
            _unit_sizes(entry, f"sizes[{i}]")
            for i, entry in enumerate(a_list(sizes, "sizes", _error, "a_list_of_lists"))
        ),
        build_batch=tuple(
            a_positive_int(entry, f"build_batch[{i}]", _error)
            for i, entry in enumerate(a_list(build_batch, "build_batch", _error))
        ),
    )


def check_mapping(units: UnitsConfig, file_count: int) -> None:
    """Raise ``UnitMappingError`` for a wrong number of entries."""
    for values in (units.sizes, units.build_batch):
        check_arity(values, file_count, lambda n, k: UnitMappingError(file_count=n, count=k))


def _error(problem: Phrase) -> UnitValidationError:
    return UnitValidationError(problem=problem)


def _unit_sizes(entry: object, name: str) -> tuple[int, ...]:
    sizes = tuple(
        a_positive_int(size, f"{name}[{i}]", _error)
        for i, size in enumerate(a_list(entry, name, _error))
    )
    if any(first >= second for first, second in pairwise(sizes)):
        raise _error(phrase("not_ascending", name=name, found=shown(list(sizes))))
    if sizes[-1] > _LARGEST_UNIT:
        raise _error(phrase("too_large", name=name, limit=_LARGEST_UNIT, found=shown(sizes[-1])))
    return sizes
