#pragma once

namespace troupe_test {

/// Runs the host program `argv[2]`, which calls fork or becomes a daemon. Returns its exit status. Writes results to
/// the file `argv[3]`.
int run_host_program(int argc, char** argv);

/// Serves as a node of the host programs' clusters.
int serve_nodes(int argc, char** argv);

}  // namespace troupe_test
