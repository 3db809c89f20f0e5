"""Work that is spread over threads comes back as if there were one."""

import threading
from multiprocessing import get_context

import pytest

from matchers import texts


@pytest.fixture(params=[1, 2, 3])
def cores(request, monkeypatch):
    monkeypatch.setattr(texts, "cores", lambda: request.param)
    return request.param


def test_parts_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(texts, "CELLS", 10)
    assert texts.parts(7, 3) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert texts.parts(2, 11) == [slice(0, 1), slice(1, 2)]
    assert texts.parts(11, 0) == [slice(0, 10), slice(10, 11)]
    assert texts.parts(7, 3, 20) == [slice(0, 6), slice(6, 7)]
    assert texts.parts(0, 5) == []


def test_results_stand_in_the_order_of_the_pieces(cores):
    turns = threading.Barrier(cores, timeout=30)

    def late(piece):
        if piece < cores:
            turns.wait()  # so as many run at once as there are cores, or this would never end
        return piece * 2

    assert texts.spread(late, range(20)) == list(range(0, 40, 2))
    assert texts.spread(late, []) == []


@pytest.mark.usefixtures("cores")
def test_a_part_may_be_spread_again():
    def row(i):
        return texts.spread(lambda j: i * j, range(5))

    assert texts.spread(row, range(9)) == [[i * j for j in range(5)] for i in range(9)]


@pytest.mark.usefixtures("cores")
def test_a_fault_comes_through():
    with pytest.raises(ZeroDivisionError):
        texts.spread(lambda i: 1 // i, [2, 1, 0])


def test_a_process_started_for_work_has_one_core():
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(texts.cores) == 1
    assert texts.cores() >= 1
