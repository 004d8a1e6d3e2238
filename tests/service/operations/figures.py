"""Figures in the text format of Prometheus, as its own parser reads them."""

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

Figures = Mapping[str, float]


def parsed(text: str) -> dict[str, float]:
    """Give all samples by their names and labels, as `name{label=value,…}`, labels in the order of the alphabet."""
    return {
        written(sample.name, sample.labels): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def written(name: str, labels: Mapping[str, str]) -> str:
    """Write the name of a sample."""
    return f"{name}{{{','.join(f'{key}={value}' for key, value in sorted(labels.items()))}}}" if labels else name


def families(text: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Give the type and the labels of each family by its name, but not `le`, which all histograms have."""
    found = {}
    for family in text_string_to_metric_families(text):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = frozenset(label for sample in family.samples for label in sample.labels) - {"le"}
        found[name] = (family.type, labels)
    return found
