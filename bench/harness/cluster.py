"""Runs Troupe and its peers in network namespaces with scripts/local-cluster.sh. Needs root."""
import os
import sys

from harness.bench import PEERS, ROOT
from harness.programs import all_json, last_json, output_of
from harness.steps import steps_of

DRIVER = ("--placement", "cluster", "--listen", "{listen}", "--nodes", "{nodes}", "--certs", "{certs}")


class Cluster:
    """`nodes` namespaces with one rank or node each. Every call creates them. `rate` is a rate for tc, or None for no
    limit."""

    def __init__(self, bench, nodes, rate=None):
        if os.geteuid() != 0:
            sys.exit("the cluster sections create network namespaces: run as root")
        self.bench = bench
        self.nodes = nodes
        self.options = ["--rate", rate] if rate else []

    def __str__(self):
        return f"{self.nodes} nodes" + (f" at {self.options[1]}" if self.options else "")

    def run(self, *command, options=(), env=None):
        """Returns the output of a command in the driver's namespace."""
        return output_of([ROOT / "scripts/local-cluster.sh", self.nodes, *self.options, *options, "--", *command],
                         env={**os.environ, **(env or {})})

    def troupe(self, *arguments):
        """Returns the output of a `troupe` command that is the driver of the nodes."""
        program = self.bench.built.troupe
        return self.run(program, *arguments, *DRIVER, options=("--troupe", program))

    def train(self, *arguments):
        """Returns the steps that `troupe train` on the nodes reports."""
        report = self.bench.folder / "cluster.jsonl"
        self.troupe("train", "--report", report, "--quiet", *arguments)
        with report.open() as lines:
            return steps_of(lines)

    def mpi(self, *arguments):
        """Returns all JSON lines of an MPI program with one rank per node."""
        return all_json(self.run(PEERS / "mpirun_in_namespaces.sh", *arguments, options=["--only-network"]))

    def torch(self, script, *arguments):
        """Returns all JSON lines of a PyTorch peer with one rank per node."""
        lines = self.ranks(self.bench.options.python, script, *arguments)
        self.bench.note_torch(lines[-1])
        return lines

    def torch_under_tls(self, script, *arguments):
        """Does the same with gloo's TLS, with certificates on both sides, and an interpreter whose PyTorch has TLS."""
        certs = self.bench.folder / "certs"
        if not certs.exists():
            self.bench.troupe("certs", "init", certs)
        files = {"PKEY": "key.pem", "CERT": "cert.pem", "CA_FILE": "ca.pem"}
        env = {f"GLOO_DEVICE_TRANSPORT_TCP_TLS_{name}": str(certs / "driver" / file) for name, file in files.items()}
        lines = self.ranks(self.bench.options.tls_python, script, *arguments,
                           env={"GLOO_DEVICE_TRANSPORT": "TCP_TLS", **env})
        self.bench.note_torch(lines[-1], "PyTorch under TLS")
        return lines

    def ranks(self, python, script, *arguments, env=None):
        return all_json(self.run(PEERS / "ranks_in_namespaces.sh", python, PEERS / script, *arguments,
                                 options=["--only-network"], env=env))

    def allreduce(self, parameters, rounds, *collective):
        """Returns the result of `troupe-bench allreduce` with one worker per node."""
        built = self.bench.built
        return last_json(self.run(*built.measuring, "allreduce", "--parameters", parameters, "--workers", self.nodes,
                                  "--rounds", rounds, "--strategy", *collective, "--json", *DRIVER,
                                  options=("--troupe", built.troupe, "--node", built.measuring[0])))
