#include "bits/known.hpp"

#include <fstream>
#include <memory>
#include <vector>

#include "bits/cases.hpp"
#include "support/free_address.hpp"
#include "support/temporary_folder.hpp"
#include "support/trial_node.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

std::string key_of(const Case& each) { return each.name + " on " + machine_of(each); }

}  // namespace

Results results_here() {
  Results results;
  for (const Case& each : cases()) results[key_of(each)] = result_of(each);
  const TemporaryFolder logs;
  const std::string listen = free_address();
  std::vector<std::unique_ptr<Child>> nodes;
  for (int number = 0; number < 3; ++number) nodes.push_back(start_trial_node(number, listen, logs.path().string()));
  for (Case& each : cases_of_clusters()) {
    each.options.cluster.listen = listen;
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
