"""What a shell offers after Tab: names of measures, editions and matchers, and files."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from tseval.families import FAMILIES


def offer(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What begins so behind an option, or as an argument; of several in one word the last."""
    from tseval.core import registry

    flag = parameter.opts[-1]
    of_command = [name for name, each in FAMILIES.items() if each.command == context.command.name]
    families = of_command or [*FAMILIES]
    if flag in ("--measure", "--curve", "name"):
        every = registry.families()
        known = {name: e.title for each in families for name, e in every.get(each, {}).items()}
    elif flag == "--edition":
        editions = (e for each in families for e in registry.family(each).editions)
        known = {each.name: each.summary for each in editions}
    elif flag == "--matcher":
        from tseval.families.temporal.evaluation import MATCHERS

        known = dict.fromkeys(MATCHERS, "")
    elif str(parameter.metavar).startswith("FILE"):
        return [CompletionItem(incomplete, type="file")]
    else:
        return parameter.type.shell_complete(context, parameter, incomplete)
    before, blank, last = incomplete.rpartition(" ")
    return [
        CompletionItem(f"{before}{blank}{name}", help=words)
        for name, words in known.items()
        if name.startswith(last)
    ]
