# SPDX-License-Identifier: BSD-3-Clause
# conftest.py - the figures of the run, printed with pytest's own summary, which counts and explains the parts left out.


def pytest_configure(config):
    config.conformance_figures = []


def pytest_terminal_summary(terminalreporter, config):
    for line in config.conformance_figures:
        terminalreporter.write_line(line)
