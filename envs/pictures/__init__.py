"""Pictures of boards: shapes, SVG, Pillow, and the window."""
