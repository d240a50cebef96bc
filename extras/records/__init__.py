"""Game files of other programs: gomoku in PSQ and SGF, Hex in SGF, Othello in GGF and WTHOR."""
