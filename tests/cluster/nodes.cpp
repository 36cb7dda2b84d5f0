#include "cluster/nodes.hpp"

#include <bit>
#include <filesystem>
#include <optional>

#include "cluster/hold_model.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/socket.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {

Authority::Authority(int nodes) {
  create_authority(folder_.path().string());
  for (int n = 0; n < nodes; ++n) create_node_credentials(folder_.path().string(), "node" + std::to_string(n));
}

std::uint16_t free_port() { return net::local_of(net::listen_on({"127.0.0.1", 0}).get()).port; }

Nodes::Nodes(int count, const Namespaces* namespaces, NodeProgram program, std::vector<std::string> more)
    : authority_(count),
      namespaces_(namespaces),
      program_(program),
      listen_(namespaces != nullptr ? Namespaces::driver_address() + ":7070"
                                    : "127.0.0.1:" + std::to_string(free_port())),
      more_(std::move(more)) {
  nodes_.resize(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) start(n);
}

std::vector<std::string> Nodes::command(int n) const {
#if defined(TROUPE_PROGRAM)
  if (program_ == NodeProgram::command)
    return with_more({TROUPE_PROGRAM, "node", "--join", listen_, "--certs", authority_.node(n), "--cut-after",
                      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(kCutAfter).count())});
#endif
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return with_more({program, "--troupe-join=" + listen_, "--troupe-certs=" + authority_.node(n),
                    "--troupe-cut-after=" + std::to_string(kCutAfter.count())});
}

std::vector<std::string> Nodes::with_more(std::vector<std::string> command) const {
  command.insert(command.end(), more_.begin(), more_.end());
  return command;
}

void Nodes::start(int n) {
  auto& node = nodes_.at(static_cast<std::size_t>(n));
  node.reset();
  std::optional<InNamespace> inside;
  if (namespaces_ != nullptr) inside.emplace(namespaces_->node(n));
  node = std::make_unique<Child>(command(n), authority_.folder() / ("log" + std::to_string(n)));
}

Options Nodes::options(int nodes) const {
  Options options;
  options.num_workers = nodes > 0 ? nodes : size();
  options.placement = Placement::cluster;
  options.cluster.listen = listen_;
  options.cluster.num_nodes = nodes > 0 ? nodes : size();
  options.cluster.certs = authority_.driver();
  options.config = Hold{}.text();
  options.verbose = false;
  options.fault_tolerance.cut_after = kCutAfter;
  options.fault_tolerance.copy_every = -1;
  return options;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

std::vector<float> run_here(const std::string& config, int shards, int steps) {
  Options options;
  options.num_shards = shards;
  options.config = config;
  options.verbose = false;
  DistributedSGD sgd("hold", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace troupe_test
