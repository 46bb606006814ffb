"""The questions that the papers left open, each answered by numbers, a figure, and sentences made from the numbers."""
