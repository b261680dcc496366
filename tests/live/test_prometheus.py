# SPDX-License-Identifier: BSD-3-Clause
# test_prometheus.py - a real Prometheus scrapes `cairn live`, and answers what the dashboard asks (docs/grafana.json).

import contextlib
import re
import shutil
import socket
import time
import urllib.parse
import urllib.request

from cairn_testing import *
from live_testing import Collector, steady_job

DASHBOARD = json.loads((SOURCE / "docs" / "grafana.json").read_text())
QUESTIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def test_the_dashboard_asks_for_what_is_documented():
    documented = (SOURCE / "docs" / "live.md").read_text()
    names = {name for question in QUESTIONS for name in re.findall(r"\bcairn_\w+(?=\{)", question)}
    assert {"cairn_sent_bytes_total", "cairn_sent_messages_total", "cairn_variable"} < names and [name for name in names if f"`{name}`" not in documented] == []


@contextlib.contextmanager
def prometheus(folder, target, token_file):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "prometheus.yml").write_text("global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: cairn\n"
                                           f"    authorization: {{credentials_file: {token_file}}}\n    static_configs: [{{targets: ['127.0.0.1:{target}']}}]\n")
    server = subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ask(path, **query):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
            return json.load(answer)["data"]

    try:
        yield ask
    finally:
        server.kill()
        server.communicate()


@pytest.mark.skipif(shutil.which("prometheus") is None, reason="no Prometheus: apt-get install prometheus")
def test_prometheus_reads_the_metrics_and_answers_the_dashboard(tmp_path):
    mpi = MPIS[0]
    token = tmp_path / "token"
    with Collector(tmp_path, "--token-file", token) as live, steady_job(mpi, tmp_path), prometheus(tmp_path, live.port, token) as ask:
        for question in QUESTIONS:
            question = question.replace("$__rate_interval", "5s").replace("$instance", f"127.0.0.1:{live.port}").replace("$variable", "comm_p2p_bytes")
            for _ in range(150):
                with contextlib.suppress(OSError):
                    if result := ask("query", query=question)["result"]:
                        break
                time.sleep(0.1)
            else:
                pytest.fail(f"no answer to {question}: {ask('targets')['activeTargets']}")
        kinds = ask("metadata")
        assert (kinds["cairn_mpi_calls"][0]["type"], kinds["cairn_job_state"][0]["type"]) == ("counter", "stateset")
