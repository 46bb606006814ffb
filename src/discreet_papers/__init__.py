"""The papers shown again: their figures, their claims with verdicts, and their open questions."""
