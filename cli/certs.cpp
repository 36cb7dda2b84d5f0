#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "runtime/net/credentials.hpp"

namespace troupe::cli {
namespace {

struct CertsOptions {
  std::string folder;
  std::string name;
};

void init(const CertsOptions& options) {
  create_authority(options.folder);
  std::printf("authority in %s (keep ca-key.pem there), the driver's certificate in %s/driver\n",
              options.folder.c_str(), options.folder.c_str());
}

void node(const CertsOptions& options) {
  create_node_credentials(options.folder, options.name);
  std::printf("certificate of node %s in %s/%s: copy this folder to the node\n", options.name.c_str(),
              options.folder.c_str(), options.name.c_str());
}

}  // namespace

void add_certs(CLI::App& app) {
  CLI::App& certs = *app.add_subcommand("certs", "Make the private authority and certificates that a cluster needs");
  certs.require_subcommand(1);
  auto options = std::make_shared<CertsOptions>();
  CLI::App& init_command = *certs.add_subcommand("init", "Make an authority, and the driver's certificate");
  init_command.add_option("DIR", options->folder, "Folder for all certificates")->required();
  init_command.callback([options] { init(*options); });
  CLI::App& node_command = *certs.add_subcommand("node", "Make a node's certificate");
  node_command.add_option("DIR", options->folder, "Folder that `troupe certs init` made")->required();
  node_command.add_option("NAME", options->name, "The node's name")->required();
  node_command.callback([options] { node(*options); });
}

}  // namespace troupe::cli
