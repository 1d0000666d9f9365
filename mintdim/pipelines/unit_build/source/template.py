"""Templates at the door of this pipeline: placeholders and declared fields must agree."""

from mintdim.pipelines.unit_build.config import FileJob
from mintdim.shared.errors import TemplateFieldMismatchError
from mintdim.shared.messages import phrase
from mintdim.sources.template import parse_template


def check_template(path: str, fields: tuple[str, ...], template: str) -> None:
    """Raise ``TemplateFieldMismatchError`` unless placeholders and fields are the same set.

    ``path`` is the source file that the error names.
    """
    placeholders = parse_template(template, fields).placeholders
    undeclared = [name for name in placeholders if name not in fields]
    unused = [name for name in fields if name not in placeholders]
    for names, code in ((undeclared, "template_uses_undeclared"), (unused, "fields_unused")):
        for name in names:
            raise TemplateFieldMismatchError(
                file=path,
                fields=fields,
                template=template,
                field=name,
                reason=phrase(code, field=name),
            )


def literals_of(job: FileJob) -> tuple[str, ...]:
    """Return the literal parts of the template of a file."""
    return parse_template(job.template, job.fields).literals
