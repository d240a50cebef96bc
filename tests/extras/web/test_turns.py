"""Who gets a process next; the processes are stand-ins."""

from __future__ import annotations

import asyncio
import threading

import pytest
from plyground import make_game
from plyground.extras.web.errors import Refusal
from plyground.extras.web.sessions import Sessions
from plyground.extras.web.settings import ServerSettings
from plyground.extras.web.thinking import STOPPED, Decide, Thinkers
from plyground.extras.web.turns import RequestGate, SearchTurns
from web_server import client_of

NEAR = {"one": 0, "two": 0}.__getitem__


def sessions_of(*addresses: str):
    """A session with a cookie for each address."""
    table = Sessions()
    names = [table.admit(None, address)[0] for address in addresses]
    return [table.admit(name, address)[1] for name, address in zip(names, addresses)]


async def settled(tasks):
    for _ in range(5):
        await asyncio.sleep(0)
    return [task.done() for task in tasks]


def asked(turns, session, short=False):
    return asyncio.ensure_future(turns.take(session, NEAR, lambda: short))


def test_who_had_no_process_of_late_goes_before_those_who_asked_earlier():
    async def play():
        greedy, other, newcomer = sessions_of("10.0.0.1", "10.0.0.1", "10.0.0.2")
        turns = SearchTurns(["one"], 9)
        tasks = [asked(turns, each) for each in (greedy, greedy, other, newcomer)]
        order = []
        for _ in tasks:
            await settled(tasks)
            (last,) = [task for task in tasks if task.done() and task not in order]
            order.append(last)
            await asyncio.sleep(0.01)
            turns.give_back(last.result())
        assert [tasks.index(task) for task in order] == [0, 3, 2, 1]
        assert (turns.running, turns.waiting, turns.free) == (0, [], ["one"])

    asyncio.run(play())


def test_a_quiet_visitor_is_answered_before_those_who_ask_again_and_again():
    async def play():
        gate, answered = RequestGate(1), []

        async def ask(session):
            async with gate.place(session):
                await asyncio.sleep(0.01)
                answered.append(session)

        many, visitor, leaver = sessions_of("10.0.0.1", "10.0.0.2", "10.0.0.3")
        await ask(many)
        tasks = [asyncio.ensure_future(ask(each)) for each in (many, many, leaver, visitor)]
        await settled(tasks)
        tasks[2].cancel()
        await asyncio.wait(tasks)
        assert answered == [many, many, visitor, many]
        await ask(leaver)  # the place is free again

    asyncio.run(play())


def test_who_waits_for_a_picture_holds_no_place_among_the_requests(monkeypatch):
    def refuse(gate, session):
        raise Refusal("busy_server", 503)

    with client_of() as visitor:
        monkeypatch.setattr(RequestGate, "place", refuse)
        paths = ("/", "/api/opponents", "/export/board.svg", "/export/board.png")
        answers = [visitor.get(path, params={"game": "tic_tac_toe"}) for path in paths]
    assert [answer.status_code for answer in answers] == [503, 503, 200, 200]


def test_long_searches_leave_the_process_for_short_ones_alone():
    async def play():
        first, second, third = sessions_of("10.0.0.1", "10.0.0.2", "10.0.0.3")
        turns = SearchTurns(["one", "two"], 9)
        tasks = [asked(turns, first), asked(turns, second), asked(turns, third, short=True)]
        assert await settled(tasks) == [True, False, True]
        assert tasks[2].result().process.result() == turns.for_short == "two"
        turns.give_back(tasks[2].result())
        assert await settled(tasks) == [True, False, True]
        tasks[1].cancel()
        await settled(tasks)
        assert turns.waiting == []

    asyncio.run(play())


def test_an_agent_too_long_for_the_process_for_short_searches_begins_at_the_others(monkeypatch):
    thinkers = Thinkers(ServerSettings(workers=2))
    long, short = thinkers.turns.free
    job = Decide("alphabeta", make_game("tic_tac_toe").initial_position())
    begun = []

    async def search(process, job, report, most_seconds):
        begun.append(process)
        if most_seconds is not None:
            raise Refusal(STOPPED, 409)

    async def play():
        monkeypatch.setattr(thinkers, "_search", search)
        thinkers.turns.free.remove(long)
        visitors = sessions_of("10.0.0.1", "10.0.0.2")
        tasks = [asyncio.ensure_future(thinkers.think(each, job, print)) for each in visitors]
        assert await settled(tasks) == [False, False]
        assert begun == [short]
        thinkers.turns.put_back(long)
        await asyncio.gather(*tasks)
        assert begun == [short, long, long]
        thinkers.turns.free.remove(long)  # it was quick there, and may be so again
        tasks = [asyncio.ensure_future(thinkers.think(visitors[0], job, print))]
        assert await settled(tasks) == [False]
        assert begun[3:] == [short]
        thinkers.turns.put_back(long)
        await tasks[0]

    asyncio.run(play())


def test_a_full_queue_refuses_the_address_for_which_most_searches_wait():
    async def play():
        greedy = sessions_of(*["10.0.0.1"] * 4)
        (newcomer,) = sessions_of("10.0.0.2")
        turns = SearchTurns(["one"], 3)
        tasks = [asked(turns, each) for each in greedy]
        await settled(tasks)
        with pytest.raises(Refusal, match="queue is full"):
            turns.check_room(greedy[0])
        tasks.append(asked(turns, newcomer))
        assert await settled(tasks) == [True, False, False, True, False]
        with pytest.raises(Refusal, match="queue is full"):
            tasks[3].result()
        turns.give_back(tasks[0].result())
        assert await settled(tasks) == [True, False, False, True, True]
        turns.close()
        assert await settled(tasks) == [True] * 5
        with pytest.raises(Refusal, match="was stopped"):
            tasks[1].result()
        tasks[2].exception()

    asyncio.run(play())


def test_a_full_queue_of_a_crowd_has_room_for_who_asked_seldom_of_late():
    async def play():
        crowd = sessions_of("10.0.0.1", "10.0.0.2", "10.0.0.3")
        quiet, loud = sessions_of("10.0.0.4", "10.0.0.5")
        for each, seconds in zip([*crowd, loud], (9.0, 3.0, 2.0, 5.0)):
            each.address.spend(seconds)
        turns = SearchTurns(["one"], 2)
        tasks = [asked(turns, each) for each in crowd]
        await settled(tasks)
        with pytest.raises(Refusal, match="queue is full"):
            turns.check_room(loud)
        tasks.append(asked(turns, quiet))
        assert await settled(tasks) == [True, True, False, False]
        with pytest.raises(Refusal, match="queue is full"):
            tasks[1].result()
        turns.close()
        await settled(tasks)
        assert all(task.exception() for task in tasks[1:])

    asyncio.run(play())


class Stubborn:
    """A job that ends when it likes."""

    what, game = "stubborn", make_game("tic_tac_toe")

    def __init__(self):
        self.ends = threading.Event()

    def run(self, process, seconds, report, cancel):
        self.ends.wait(60)


def test_a_search_keeps_its_process_until_it_has_ended_however_often_it_is_cancelled():
    thinkers, job = Thinkers(ServerSettings(workers=1)), Stubborn()
    (visitor,) = sessions_of("10.0.0.1")
    (process,) = thinkers.turns.free

    async def play():
        task = asyncio.ensure_future(thinkers.think(visitor, job, print))
        for _ in range(3):
            assert await settled([task]) == [False]
            assert thinkers.turns.free == []
            task.cancel()
        job.ends.set()
        await asyncio.wait([task])
        assert task.cancelled()
        assert thinkers.turns.free == [process]

    asyncio.run(play())
