"""The funnel: phases, budgets and repetition, call by call and in batches."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from resolveflow.domain.exploration import Budget
from resolveflow.explore.funnel import Funnel, Limits
from resolveflow.explore.tools import MOST_RESULT, Dispatcher, ToolResult
from resolveflow.testing.fixed_index import FixedCodeIndex
from resolveflow.testing.memory_repository import MemoryRepository

FILES = {f"f{n}.py": f"x = {n}\n".encode() * 60 for n in range(60)}


class Slow(MemoryRepository):
    """Answers only after others had their turn, so that calls of a batch really overlap."""

    async def read(self, path: str) -> bytes:
        for _ in range(5):
            await asyncio.sleep(0)
        return await super().read(path)


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock | None = None, **limits: float) -> Funnel:
    dispatcher = Dispatcher(repository=Slow(FILES), index=FixedCodeIndex())
    return Funnel(
        dispatcher=dispatcher,
        limits=Limits.model_validate({"explore_calls": 4, "deep_dive_calls": 3, **limits}),
        clock=clock or Clock(),
    )


def read(funnel: Funnel, number: int, **more: object) -> "asyncio.Task[ToolResult]":
    return asyncio.ensure_future(funnel.call("read_lines", {"path": f"f{number}.py", **more}))


async def test_calls_lead_through_the_phases_and_every_answer_says_where_it_is():
    funnel = make()
    texts = [(await read(funnel, n)).text.rpartition("\n")[2] for n in range(7)]

    assert texts[0] == (
        "[Phase explore: 3 calls left, of grep_code, read_lines, list_directory, locate_symbol.]"
    )
    assert texts[3] == "[Phase deep_dive (4 calls are used up): 3 calls left, of read_lines.]"
    assert texts[6] == (
        "[Phase produce (3 calls are used up): no tool may be called any more;"
        " write your report now.]"
    )
    late = await read(funnel, 9)
    assert late.is_error
    assert "write your report now" in late.text
    assert (funnel.usage.calls, funnel.usage.refused) == (7, 1)


async def test_a_tool_out_of_phase_is_refused_with_what_is_allowed():
    funnel = make()
    funnel.state_suspects()

    refused = await funnel.call("grep_code", {"pattern": "x"})

    assert refused.is_error
    assert refused.text == (
        "error: grep_code is not allowed now."
        " Phase deep_dive (you have your suspects): 3 calls left, of read_lines."
    )
    assert funnel.usage.calls == 0


async def test_a_batch_of_parallel_calls_cannot_overrun_the_budget():
    funnel = make(explore_calls=2, deep_dive_calls=2)
    searches = [funnel.call("grep_code", {"pattern": f"x = {n}$"}) for n in range(20)]

    results = await asyncio.gather(*searches, *(read(funnel, n) for n in range(20)))

    assert [not one.is_error for one in results].count(True) == 4
    assert all(one.is_error for one in results[2:20])
    assert (funnel.usage.calls, funnel.usage.refused) == (4, 36)
    assert funnel.phase == "produce"


async def test_the_agents_word_ends_searching_on_the_wire_too():
    funnel = make()

    await read(funnel, 1, have_suspects=True)

    assert (funnel.phase, funnel.allowed) == ("deep_dive", ("read_lines",))
    funnel.state_suspects()
    assert funnel.phase == "deep_dive"
    funnel.finish()
    assert (funnel.phase, funnel.allowed) == ("produce", ())


async def test_the_same_call_again_ends_a_phase():
    funnel = make(explore_calls=20, repeats=2)
    for _ in range(2):
        await funnel.call("list_directory", {"path": ""})
    assert funnel.phase == "explore"

    last = await funnel.call("list_directory", {"path": ""})

    assert "You had that already. Phase deep_dive (calls were repeated)" in last.text
    assert funnel.usage.repeated == 2


async def test_overlapping_ranges_are_repetition_and_neighbouring_ones_are_not():
    funnel = make(explore_calls=20, repeats=2)
    for start in (1, 11, 21, 31):
        await read(funnel, 1, start=start, end=start + 9)
    assert funnel.usage.repeated == 0

    await read(funnel, 1, start=5, end=14)
    await read(funnel, 1, start=36, end=45)
    assert (funnel.usage.repeated, funnel.phase) == (1, "explore")
    await read(funnel, 1)
    assert (funnel.usage.repeated, funnel.phase) == (2, "deep_dive")


async def test_time_runs_from_the_first_call_and_ends_the_reading():
    clock = Clock()
    funnel = make(clock, seconds=10)
    clock.now += 1_000
    assert not (await read(funnel, 1)).is_error
    clock.now += 9.5
    assert not (await read(funnel, 2)).is_error
    assert funnel.usage.seconds == 9.5
    clock.now += 0.5

    late = await read(funnel, 3)

    assert late.is_error
    assert "10 seconds are used up" in late.text
    assert funnel.phase == "produce"


async def test_text_is_counted_to_the_character_and_never_exceeds_its_budget():
    funnel = make(explore_calls=100, characters=2 * MOST_RESULT)
    results = []
    while funnel.allowed:
        results.append(await read(funnel, len(results)))

    given = sum(len(one.text) for one in results)
    assert funnel.usage.characters == given
    assert given - len(results[-1].text) <= 2 * MOST_RESULT
    assert results[-1].is_error
    assert "16,000 characters are used up" in results[-1].text
    assert len(results) > 5


async def test_calls_that_wait_for_each_other_reserve_their_text():
    funnel = make(explore_calls=100, characters=3 * MOST_RESULT)

    results = await asyncio.gather(*(read(funnel, n) for n in range(10)))

    assert [one.is_error for one in results] == [False] * 3 + [True] * 7
    assert "wait for their results" in results[3].text
    assert not (await read(funnel, 20)).is_error


async def test_malformed_calls_count_and_unknown_tools_lead_nowhere():
    funnel = make(explore_calls=2, deep_dive_calls=1)

    first = await funnel.call("read_lines", {"path": 1})
    second = await funnel.call("format_disk", {})

    assert first.is_error
    assert "read_lines was not run" in first.text
    assert second.is_error
    assert "there is no tool format_disk" in second.text
    assert (funnel.usage.calls, funnel.usage.failed) == (2, 2)
    assert funnel.phase == "deep_dive"


async def test_a_budget_without_calls_starts_at_the_report():
    assert make(explore_calls=0, deep_dive_calls=0).phase == "produce"
    assert make(explore_calls=0).phase == "deep_dive"


def test_limits_share_a_budget_out():
    limits = Limits.of(Budget(calls=10, seconds=5, tokens=1_000))

    assert (limits.explore_calls, limits.deep_dive_calls) == (6, 4)
    assert (limits.seconds, limits.characters) == (5, 1_000)


CALLS = st.sampled_from(["grep_code", "read_lines", "list_directory", "locate_symbol", "other"])
BATCHES = st.lists(st.lists(st.tuples(CALLS, st.integers(0, 8)), max_size=8), max_size=6)


@given(BATCHES, st.integers(0, 5), st.integers(0, 5))
async def test_whatever_is_called_at_once_no_phase_is_overrun(batches, exploring, reading):
    funnel = make(explore_calls=exploring, deep_dive_calls=reading)
    ran: list[str] = []

    async def one(tool: str, number: int) -> None:
        arguments = {
            "grep_code": {"pattern": f"= {number}$"},
            "read_lines": {"path": f"f{number}.py"},
            "list_directory": {"path": "" if number else "no"},
            "locate_symbol": {"name": f"f{number}"},
        }
        before = funnel.usage.calls
        task = funnel.call(tool, arguments.get(tool, {}))
        allowed = funnel.allowed
        await task
        if funnel.usage.calls > before and tool in allowed:
            ran.append(tool)

    for batch in batches:
        await asyncio.gather(*(one(tool, number) for tool, number in batch))

    usage = funnel.usage
    assert usage.calls <= exploring + reading
    assert usage.calls + usage.refused == sum(map(len, batches))
