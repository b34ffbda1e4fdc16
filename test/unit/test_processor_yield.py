# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""The way is given to those who take a short turn, and seldom to those who take a long one."""

import pytest

from charmie_dynamics.ros.outputs.yielding import LONG, SHARE, ProcessorYield


class Processor:
    """A clock, and others that take a turn of fixed length whenever they are let."""

    def __init__(self, turn):
        self.turn = turn
        self.time = 100.0
        self.turns = 0

    def give(self):
        self.turns += 1
        self.time += self.turn

    def yielding_each_millisecond(self, seconds):
        yielding = ProcessorYield(self.give, lambda: self.time)
        end = self.time + seconds
        while self.time < end:
            yielding()
            self.time += 1e-3


def test_receivers_may_always_run():
    processor = Processor(0.5 * LONG)
    processor.yielding_each_millisecond(1.0)
    assert processor.turns == pytest.approx(1.0 / (1e-3 + 0.5 * LONG), abs=2)


@pytest.mark.parametrize("turn", [2.0 * LONG, 4e-3, 0.1])
def test_long_turns_take_their_share_of_the_time_and_no_more(turn):
    processor = Processor(turn)
    seconds = 50.0 * turn / SHARE
    processor.yielding_each_millisecond(seconds)
    assert processor.turns * turn / seconds == pytest.approx(SHARE, rel=0.05)


def test_after_a_long_turn_the_way_is_given_again():
    processor = Processor(4e-3)
    yielding = ProcessorYield(processor.give, lambda: processor.time)
    yielding()
    processor.turn = 1e-5
    processor.time += 4e-3 / SHARE
    yielding()
    assert processor.turns == 2
