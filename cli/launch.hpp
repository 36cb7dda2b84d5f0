#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Adds `launch`, which runs a driver together with nodes on other hosts. `status` is set to the driver's exit status.
void add_launch(CLI::App& app, int& status);

}  // namespace troupe::cli
