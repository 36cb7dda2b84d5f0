#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Adds the subcommand `launch` to `app`. The subcommand runs a driver on this host, together with nodes on other
/// hosts. It sets `status` to the driver's exit status.
void add_launch(CLI::App& app, int& status);

}  // namespace troupe::cli
