#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Adds the subcommand `launch`, which runs a driver together with nodes on other hosts. The subcommand sets `status`
/// to the driver's exit status.
void add_launch(CLI::App& app, int& status);

}  // namespace troupe::cli
