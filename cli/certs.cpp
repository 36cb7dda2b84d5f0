#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/certificates/expiry.hpp"

namespace troupe::cli {
namespace {

struct CertsOptions {
  std::string folder;
  std::vector<std::string> names;
  std::string name;
  std::optional<std::int64_t> days;
  AuthorityOptions authority;
};

/// Prints a line about the credentials in the subfolder DIR/NAME: the day on which the certificate expires, and the
/// machine to which the user must copy the subfolder.
/// @param what the start of the line, such as "certificate"
void report(const CertsOptions& options, const std::string& name, const char* what) {
  const std::string folder = options.folder + "/" + name;
  std::printf("%s of %s in %s, valid until %s: copy this folder to %s\n", what, name.c_str(), folder.c_str(),
              last_day_of(folder).c_str(), name == "driver" ? "the driver's machine" : "the node");
}

void make_folder(const CertsOptions& options) {
  create_authority(options.folder, options.authority);
  std::printf("authority in %s (keep ca-key.pem there), the driver's certificate in %s/driver, valid until %s\n",
              options.folder.c_str(), options.folder.c_str(), last_day_of(options.folder + "/driver").c_str());
}

void node(const CertsOptions& options) {
  for (const std::string& name : options.names) {
    create_node_credentials(options.folder, name, options.days);
    report(options, name, "certificate");
  }
}

void renew(const CertsOptions& options) {
  renew_credentials(options.folder, options.name, options.days);
  report(options, options.name, "new key and certificate");
}

void revoke(const CertsOptions& options) {
  const Revoked revoked = revoke_credentials(options.folder, options.name);
  std::printf(
      "revoked %s (%d certificates, %d of them before): copy %s/crl.pem to the credentials folders of the "
      "driver and all nodes; it takes effect with the next run\n",
      options.name.c_str(), revoked.certificates, revoked.certificates - revoked.added, options.folder.c_str());
}

struct Command {
  CLI::App& app;
  CertsOptions& options;
};

/// Adds a subcommand with the name `name` and the help text `what`, which calls `action` with its options. While the
/// subcommand runs, core dumps are disabled, because a dump might contain a private key.
Command add(CLI::App& certs, const char* name, const char* what, void (*action)(const CertsOptions&)) {
  auto options = std::make_shared<CertsOptions>();
  CLI::App& command = *certs.add_subcommand(name, what);
  command.add_option("DIR", options->folder, "Folder of the authority and all certificates")->required();
  command.callback([options, action] {
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    action(*options);
  });
  return {command, *options};
}

void add_days(const Command& command) {
  command.app.add_option("--days", command.options.days, "Days for which the certificate is valid; default: 90");
}

void add_name(const Command& command) {
  command.app.add_option("NAME", command.options.name, "A node's name, or driver")->required();
}

void add_init(CLI::App& certs) {
  const Command command = add(certs, "init", "Make a private authority, and the driver's certificate", &make_folder);
  AuthorityOptions& authority = command.options.authority;
  command.app.add_option("--days", authority.days, "Days for which the authority is valid")->capture_default_str();
  command.app.add_option("--driver-days", authority.driver_days,
                         "Days for which the driver's certificate is valid; default: 90");
  command.app
      .add_option("--driver-name", authority.driver_name,
                  "Name in the driver's certificate, which `troupe node --driver-name` can require")
      ->capture_default_str();
}

}  // namespace

void add_certs(CLI::App& app) {
  CLI::App& certs = *app.add_subcommand("certs", "Make, renew and revoke the certificates that a cluster needs");
  certs.require_subcommand(1);
  add_init(certs);
  const Command nodes = add(certs, "node", "Make nodes' certificates", &node);
  nodes.app.add_option("NAME", nodes.options.names, "The nodes' names")->required();
  add_days(nodes);
  const Command renewing = add(certs, "renew", "Replace the key and certificate of a member", &renew);
  add_name(renewing);
  add_days(renewing);
  add_name(add(certs, "revoke", "Add all certificates of a member to the list of revoked ones", &revoke));
}

}  // namespace troupe::cli
