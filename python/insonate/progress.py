"""Progress of calls that take long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[float, str], object]
"""``False``: none. ``True``: a bar. A function is called with the share that is done, 0 to 1, and a text."""

Told = Callable[[float, str], object]

_WIDTH = 30


@contextmanager
def shown(progress: Progress, what: str) -> Iterator[Told | None]:
    """The function that a call tells its progress; ``True`` shows a bar of tqdm, or of text if tqdm is not installed."""
    if not progress:
        yield None
        return
    if callable(progress):
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _text_bar(what)
        print(file=sys.stderr)
        return
    with tqdm(total=1000, desc=what, bar_format="{desc} {percentage:3.0f} % |{bar}| {elapsed} {postfix}") as bar:

        def tell(share: float, text: str) -> None:
            bar.n = round(1000 * share)
            bar.set_postfix_str(text, refresh=False)
            bar.refresh()

        yield tell
        # The last call came up to 50 ms before the end.
        if sys.exc_info()[0] is None:
            bar.n = 1000
            bar.refresh()


def _text_bar(what: str) -> Told:
    def tell(share: float, text: str) -> None:
        filled = "=" * round(_WIDTH * share)
        print(f"\r{what} [{filled:<{_WIDTH}}] {100 * share:3.0f} % {text}\x1b[K", end="", file=sys.stderr, flush=True)

    return tell
