#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "actors/launch/launch.hpp"
#include "actors/placements/cluster/cluster.hpp"
#include "cli/commands.hpp"
#include "cli/node_table.hpp"
#include "cli/run_options.hpp"
#include "runtime/json/bounded_json.hpp"

namespace troupe::cli {
namespace {

struct NodeOptions {
  std::string join;
  std::string certs;
  std::string listen;
  std::string driver_name;
  std::size_t store_bytes = 0;
  std::chrono::milliseconds cut_after = FaultToleranceOptions().cut_after;
  bool once = false;
  bool json = false;
};

void add_join_options(CLI::App& app, NodeOptions& options) {
  app.add_option("--join", options.join, "HOST:PORT where the driver listens")->required();
  app.add_option("--certs", options.certs, "Folder with ca.pem, cert.pem and key.pem (see `troupe certs`)")->required();
}

[[noreturn]] void serve(const NodeOptions& options) {
  NodeLaunch launch;
  launch.join = Address::parse(options.join, 1);
  launch.certs = options.certs;
  if (!options.listen.empty()) launch.listen = parse_listen(options.listen);
  launch.driver_name = options.driver_name;
  launch.store_bytes = options.store_bytes;
  launch.cut_after = options.cut_after;
  launch.once = options.once;
  run_node(launch);
}

void show_nodes(const NodeOptions& options) {
  const std::string answer = ask_for_nodes(Address::parse(options.join, 1), options.certs);
  const std::string table = node_table(answer);
  if (options.json)
    std::printf("%s\n", parse_bounded(answer).dump(-1, ' ', /*ensure_ascii=*/true).c_str());
  else
    std::printf("%s", table.c_str());
}

}  // namespace

void add_node(CLI::App& app) {
  auto options = std::make_shared<NodeOptions>();
  CLI::App& node = *app.add_subcommand("node", "Serve a driver's runs on this machine, one after another");
  add_join_options(node, *options);
  node.add_option("--listen", options->listen,
                  "ADDRESS[:PORT] where other nodes reach this one; default: the address used to reach the driver");
  node.add_option("--driver-name", options->driver_name,
                  "Name that the driver's certificate must have; default: any driver of the authority is accepted");
  add_data_cache(node);
  node.add_option("--store-bytes", options->store_bytes, "Quota of the object store in bytes; 0: half of the memory")
      ->check(whole_number(0));
  add_limit(node, "--cut-after", options->cut_after,
            "Seconds without a sign of life of the driver after which its run ends; 0: never (for debugging)");
  node.add_flag("--once", options->once, "Exit after one run");
  node.callback([options] { serve(*options); });
}

void add_nodes(CLI::App& app) {
  auto options = std::make_shared<NodeOptions>();
  CLI::App& nodes = *app.add_subcommand("nodes", "Show the nodes of a run in progress");
  add_join_options(nodes, *options);
  nodes.add_flag("--json", options->json, "Print a JSON array");
  nodes.callback([options] { show_nodes(*options); });
}

}  // namespace troupe::cli
