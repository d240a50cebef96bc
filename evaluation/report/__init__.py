"""Reports: text, JSON, HTML, plots, replays."""
