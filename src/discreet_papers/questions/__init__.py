"""The questions that the seeds left open, each answered by numbers, a figure, and sentences made from the numbers."""
