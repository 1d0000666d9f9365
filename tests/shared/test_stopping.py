"""SIGINT and SIGTERM: noted during the work, raised again after it."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from mintdim.shared.stopping import StopSignals

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """The program's own handler of both signals: it notes them and returns."""
    seen: list[int] = []
    earlier = {
        number: signal.signal(number, lambda received, frame: seen.append(received))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    yield seen
    for number, handler in earlier.items():
        signal.signal(number, handler)


@BOTH
def test_a_signal_is_noted_and_comes_back_after_the_block(
    number: signal.Signals, handled: list[int]
) -> None:
    with StopSignals() as stop:
        assert stop.received is None
        signal.raise_signal(number)
        assert stop.received is number
        assert handled == []
    assert handled == [number]


def test_the_first_of_several_signals_counts(handled: list[int]) -> None:
    with StopSignals() as stop:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        assert stop.received is signal.SIGTERM
    assert handled == [signal.SIGTERM]


@BOTH
def test_the_earlier_handler_is_restored(number: signal.Signals, handled: list[int]) -> None:
    earlier = signal.getsignal(number)
    with StopSignals():
        assert signal.getsignal(number) != earlier
    assert signal.getsignal(number) is earlier
    with pytest.raises(ZeroDivisionError), StopSignals():
        raise ZeroDivisionError
    assert signal.getsignal(number) is earlier
    assert handled == []


def test_ctrl_c_ends_in_a_keyboard_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), StopSignals():
        signal.raise_signal(signal.SIGINT)


def test_the_error_of_the_work_stands_behind_the_keyboard_interrupt() -> None:
    def fail() -> None:
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError

    with pytest.raises(KeyboardInterrupt) as caught, StopSignals():
        fail()
    assert isinstance(caught.value.__context__, ZeroDivisionError)


def test_an_ignored_signal_stays_without_effect_afterwards(handled: list[int]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with StopSignals() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.received is signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_nothing_is_installed_outside_the_main_thread(handled: list[int]) -> None:
    during = []

    def work() -> None:
        with StopSignals():
            during.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    before = signal.getsignal(signal.SIGINT)
    thread.start()
    thread.join()
    assert during == [before]
