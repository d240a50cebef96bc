"""Games of gomoku in the files of other programs: PSQ of Piskvork and Gomocup, and SGF."""
