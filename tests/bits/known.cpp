#include "bits/known.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "bits/cases.hpp"
#include "cluster/child.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/trial_authority.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

std::string key_of(const Case& each) { return each.name + " on " + machine_of(each); }

}  // namespace

Results results_here() {
  Results results;
  for (const Case& each : cases()) results[key_of(each)] = result_of(each);
  const TemporaryFolder logs;
  const Address listen{"127.0.0.1", net::local_of(net::listen_on({"127.0.0.1", 0}).get()).port};
  std::vector<std::unique_ptr<Child>> nodes;
  for (const char* name : {"node0", "node1", "node2"})
    nodes.push_back(
        std::make_unique<Child>(std::vector<std::string>{std::filesystem::read_symlink("/proc/self/exe").string(),
                                                         "--troupe-join=" + listen.text(),
                                                         "--troupe-certs=" + (trial_authority().folder() / name)},
                                logs.path() / name));
  for (Case& each : cases_of_clusters()) {
    each.options.cluster.listen = listen.text();
    each.options.cluster.num_nodes = 3;
    each.options.cluster.certs = trial_authority().folder() / "driver";
    results[key_of(each)] = result_of(each);
  }
  return results;
}

Results results_before() {
  Results results;
  std::ifstream file(TROUPE_BITS);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos) results[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return results;
}

}  // namespace troupe_test
