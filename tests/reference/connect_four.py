"""Connect four: stones fall to the lowest free cell of a column."""

from .reference import StonesReference


class ConnectFour(StonesReference):
    def legal_actions(self) -> list[int]:
        if self.is_over():
            return []
        return [column for column in range(self.cols) if (0, column) not in self.stones]

    def play(self, action: int) -> None:
        free = [row for row in range(self.rows) if (row, action) not in self.stones]
        self.place((max(free), action))
