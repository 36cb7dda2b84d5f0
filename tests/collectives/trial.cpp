#include "trial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "collectives/exchange/exchange.hpp"
#include "loop_transport.hpp"
#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"
#include "traffic.hpp"

using namespace troupe;

namespace {

std::uint32_t mix(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::uint32_t>(value >> 32);
}

/// Returns an unusual value for element `at`. All NaNs of an element are the same, and an element with NaNs has no
/// infinities, because the compiler decides which of two NaNs becomes the sum.
float special(std::uint32_t at, std::uint32_t random) {
  const std::uint32_t sign = random & 0x80000000U;
  switch (at % 3) {
    case 0:
      return std::bit_cast<float>(0x7fc00000U | (at >> 10));  // a NaN with a payload
    case 1:
      return std::bit_cast<float>(sign | 0x7f800000U);  // infinite
    default:
      return std::bit_cast<float>(sign | (random % 3 == 0 ? 0 : random >> 10));  // zero or subnormal
  }
}

/// The memory and the exchange of one node.
struct Node {
  Node(const Plan& plan, int node, LoopNetwork& network, ObjectStore& objects, std::size_t size, int buffers = 2)
      : store(objects.connect()),
        transport(network.endpoint(node)),
        weights(static_cast<std::size_t>(buffers), std::vector<float>(size, -77.0F)) {
    SlabLayout layout;
    layout.size = size;
    layout.num_shards = plan.topology.num_shards;
    exchange.emplace(plan, node, transport, *store, layout,
                     std::vector<std::span<float>>(weights.begin(), weights.end()));
  }

  std::vector<float>& written(int step) { return weights[static_cast<std::size_t>(step) % weights.size()]; }

  std::unique_ptr<StoreClient> store;
  Transport& transport;
  Vectors weights;      ///< by buffer
  Vectors own;          ///< gradients by shard
  Gradients gradients;  ///< pointers to the gradients
  std::optional<NodeExchange> exchange;
};

/// Returns the number of pages that a new object can have, at most `most`.
std::size_t pages_that_fit(ObjectStore& objects, std::size_t most) {
  const auto client = objects.connect();
  std::size_t pages = most;
  while (pages > 0 && code_of([&] { client->create({.number = pages}, pages * kPageBytes); })) --pages;
  return pages;
}

/// Returns one store for all trials, because each store starts a thread.
ObjectStore& one_store() {
  static ObjectStore store;
  return store;
}

class Running {
 public:
  explicit Running(const ExchangeTrial& trial)
      : trial_(trial), plan_(make_plan(trial.request, trial.size)), network_(plan_.topology.num_nodes()) {
    for (int node = 0; node < plan_.topology.num_nodes(); ++node)
      nodes_.push_back(std::make_unique<Node>(plan_, node, network_, one_store(), trial.size, trial.buffers));
  }

  std::vector<std::optional<ErrorCode>> codes_after_loss(int node, int sends) {
    network_.lose_after(node, sends);
    place(make_gradients(trial_, 1), 1);
    return run(1);
  }

  std::vector<int> senders_of_weights(int spoiler) {
    place(make_gradients(trial_, 1), 1);
    std::vector<int> all(nodes_.size(), -1);
    std::mutex mutex;
    on_all_lanes([&](int n, int lane) {
      const ApplyChunk copy = copy_to(node(n).written(1));
      const auto apply = [&](std::size_t begin, std::span<const float> mean) {
        copy(begin, mean);
        if (n == spoiler) node(n).written(1)[begin] = std::numeric_limits<float>::quiet_NaN();
      };
      const int from = node(n).exchange->run(work_of(n, lane, 1), apply).not_finite_from;
      const std::lock_guard lock(mutex);
      all[static_cast<std::size_t>(n)] = std::max(all[static_cast<std::size_t>(n)], from);
    });
    return all;
  }

  std::vector<std::vector<int>> senders_of_sums(int spoiler) {
    Vectors spoiled = make_gradients(trial_, 1);
    std::ranges::fill(spoiled[plan_.topology.shards_of_node(spoiler).begin], std::numeric_limits<float>::infinity());
    place(spoiled, 1);
    run(1);
    std::vector<std::vector<int>> all(plan_.slices.size());
    for (std::size_t owner = 0; owner < all.size(); ++owner)
      for (const auto& node : nodes_) all[owner].push_back(node->exchange->non_finite_sums_from({owner, owner + 1}));
    return all;
  }

  void run_alone(int node, int lane) {
    place(make_gradients(trial_, 1), 1);
    run_lane(*nodes_[static_cast<std::size_t>(node)], work_of(node, lane, 1, std::chrono::milliseconds(5)), 1);
  }

  std::string failure_without_rounds() {
    std::vector<std::string> wrong(nodes_.size());
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      threads.emplace_back([this, n, &wrong] {
        for (int step = 1; step <= trial_.steps && wrong[n].empty(); ++step) {
          const Vectors gradients = make_gradients(trial_, step);
          place(gradients, step, n);
          run_node(static_cast<int>(n), step);
          wrong[n] = check_node(expected_mean(gradients, trial_.size), step, n);
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& what : wrong)
      if (!what.empty()) return what;
    return network_.complaint();
  }

  std::string failure() {
    for (int step = 1; step <= trial_.steps; ++step) {
      const Vectors gradients = make_gradients(trial_, step);
      place(gradients, step);
      for (const auto& code : run(step))
        if (code) return std::string("a lane threw ") + to_string(*code) + ", " + network_.complaint();
      if (!network_.complaint().empty()) return network_.complaint();
      if (const std::string wrong = check(gradients, step); !wrong.empty()) return wrong;
    }
    if (plan_.topology.num_nodes() == 1 && network_.calls() != 0) return "one node used the transport";
    return "";
  }

 private:
  void place(const Vectors& gradients, int step) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) place(gradients, step, n);
  }

  void place(const Vectors& gradients, int step, std::size_t n) {
    Node& node = *nodes_[n];
    const Range shards = plan_.topology.shards_of_node(static_cast<int>(n));
    node.gradients.assign(gradients.size(), {});
    node.own.resize(gradients.size());
    for (std::size_t shard = shards.begin; shard < shards.end; ++shard) {
      auto& memory = memory_of(n, shard, step);
      memory = gradients[shard];
      node.gradients[shard] = memory;
    }
  }

  /// Returns the memory of a shard's gradient.
  std::vector<float>& memory_of(std::size_t n, std::size_t shard, int step) {
    const bool in_place = trial_.in_place && shard == plan_.topology.shards_of_node(static_cast<int>(n)).begin;
    return in_place ? nodes_[n]->written(step) : nodes_[n]->own[shard];
  }

  void run_node(int n, int step) {
    Node& node = *nodes_[static_cast<std::size_t>(n)];
    const Range lanes = plan_.topology.lanes_of_node(n);
    std::vector<std::thread> threads;
    for (int lane = static_cast<int>(lanes.begin); lane < static_cast<int>(lanes.end); ++lane)
      threads.emplace_back([this, &node, n, lane, step] {
        if (code_of([&] { run_lane(node, work_of(n, lane, step), step); })) network_.end();
      });
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::optional<ErrorCode>> run(int step) {
    if (!trial_.in_two_parts)
      return on_all_lanes([&](int n, int lane) { run_lane(node(n), work_of(n, lane, step), step); });
    const auto reduced = on_all_lanes([&](int n, int lane) { reduce_lane(n, lane, step); });
    if (std::any_of(reduced.begin(), reduced.end(), [](const auto& code) { return code.has_value(); })) return reduced;
    return on_all_lanes([&](int n, int lane) {
      node(n).exchange->share(work_of(n, lane, step), kept(n, lane, step), copy_to(node(n).written(step)));
    });
  }

  /// Calls `act` on all lanes that take part. Returns the error code of each lane, if any.
  template <class Act>
  std::vector<std::optional<ErrorCode>> on_all_lanes(const Act& act) {
    std::vector<std::thread> threads;
    std::vector<std::optional<ErrorCode>> codes(plan_.slices.size());
    for (int lane = 0; lane < plan_.topology.num_lanes(); ++lane) {
      const int n = plan_.topology.node_of_lane[static_cast<std::size_t>(lane)];
      if (node(n).exchange->idle(lane)) continue;
      threads.emplace_back([this, &act, &codes, n, lane] {
        auto& code = codes[static_cast<std::size_t>(lane)];
        code = code_of([&] { act(n, lane); });
        if (code) network_.end();  // as a driver does when it learns of the error
      });
    }
    for (std::thread& thread : threads) thread.join();
    return codes;
  }

  Node& node(int n) { return *nodes_[static_cast<std::size_t>(n)]; }

  std::vector<float>& kept(int n, int lane, int step) {
    return memory_of(static_cast<std::size_t>(n), plan_.topology.shards_of_lane(lane).begin, step);
  }

  static ApplyChunk copy_to(std::vector<float>& vector) {
    return [&vector](std::size_t begin, std::span<const float> mean) {
      std::copy(mean.begin(), mean.end(), vector.begin() + static_cast<std::ptrdiff_t>(begin));
    };
  }

  NodeExchange::Work work_of(int n, int lane, int step, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    NodeExchange::Work work;
    work.lane = lane;
    work.gradients = &node(n).gradients;
    work.samples = kSamples;
    work.buffer = step % static_cast<int>(node(n).weights.size());
    work.ticket = static_cast<std::uint64_t>(10 * step);
    work.deadline = Deadline(timeout);
    return work;
  }

  static void run_lane(Node& node, const NodeExchange::Work& work, int step) {
    if ((work.lane + step) % 2 == 1) node.exchange->start(work);
    node.exchange->run(work, copy_to(node.written(step)));
  }

  void reduce_lane(int n, int lane, int step) {
    const auto work = work_of(n, lane, step);
    if ((lane + step) % 2 == 1) node(n).exchange->start(work);
    node(n).exchange->reduce(work, copy_to(kept(n, lane, step)));
  }

  std::string check(const Vectors& gradients, int step) const {
    const std::vector<float> expected = expected_mean(gradients, trial_.size);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (const std::string wrong = check_node(expected, step, n); !wrong.empty()) return wrong;
    return "";
  }

  std::string check_node(const std::vector<float>& expected, int step, std::size_t n) const {
    const auto& written = nodes_[n]->written(step);
    const std::string at = " on node " + std::to_string(n) + " at step " + std::to_string(step);
    const bool same_bits = trial_.size == 0 || std::memcmp(written.data(), expected.data(), 4 * trial_.size) == 0;
    if ((!plan_.ring_order || trial_.whole_numbers) && !same_bits)
      return "other bits" + at + first_difference(written, expected);
    for (std::size_t i = 0; i < trial_.size; ++i)
      if (!alike(written[i], expected[i])) return "a wrong mean" + at;
    const std::size_t sent = network_.bytes_sent(static_cast<int>(n));
    if (sent != static_cast<std::size_t>(step) * traffic_of(plan_, static_cast<int>(n)).sent)
      return "other traffic" + at;
    return "";
  }

  static std::string first_difference(const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]))
        return ", first at " + std::to_string(i) + ": " + std::to_string(std::bit_cast<std::uint32_t>(a[i])) +
               " instead of " + std::to_string(std::bit_cast<std::uint32_t>(b[i]));
    return "";
  }

  static bool alike(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) < 1e-5F;
  }

  const ExchangeTrial& trial_;
  Plan plan_;
  LoopNetwork network_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace

Vectors make_gradients(const ExchangeTrial& trial, int step) {
  Vectors gradients(static_cast<std::size_t>(trial.request.topology.num_shards), std::vector<float>(trial.size));
  for (std::size_t shard = 0; shard < gradients.size(); ++shard)
    for (std::size_t i = 0; i < trial.size; ++i) {
      const std::uint32_t random = mix((shard << 48) + (static_cast<std::uint64_t>(step) << 40) + i + 1);
      const std::uint32_t at = mix(i + 1);
      if (trial.whole_numbers)
        gradients[shard][i] = static_cast<float>(random % 2001) - 1000;
      else if (at % 29 < 3 && random % 4 != 0)
        gradients[shard][i] = special(at / 29, random);
      else
        gradients[shard][i] = static_cast<float>(random) * 0x1p-31F - 1;
    }
  return gradients;
}

std::vector<float> expected_mean(const Vectors& gradients, std::size_t size) {
  std::vector<float> mean(size);
  const Gradients sources(gradients.begin(), gradients.end());
  reduce_and_apply(sources, kSamples, {0, size}, [&](std::size_t begin, std::span<const float> part) {
    std::copy(part.begin(), part.end(), mean.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return mean;
}

std::vector<std::optional<ErrorCode>> codes_after_loss(const ExchangeTrial& trial, int node, int sends) {
  return Running(trial).codes_after_loss(node, sends);
}

std::vector<int> senders_of_weights(const ExchangeTrial& trial, int node) {
  return Running(trial).senders_of_weights(node);
}

std::vector<std::vector<int>> senders_of_sums(const ExchangeTrial& trial, int node) {
  return Running(trial).senders_of_sums(node);
}

void run_alone(const ExchangeTrial& trial, int node, int lane) { Running(trial).run_alone(node, lane); }

std::string failure_without_rounds(const ExchangeTrial& trial) { return Running(trial).failure_without_rounds(); }

std::string failure(const ExchangeTrial& trial) { return Running(trial).failure(); }

std::size_t staged_floats(const Plan& plan, int node) {
  constexpr std::size_t kPages = 64;
  ObjectStore objects(kPages * kPageBytes);
  LoopNetwork network(plan.topology.num_nodes());
  std::optional<Node> made(std::in_place, plan, node, network, objects, plan.slices.back().end);
  const std::size_t beside = pages_that_fit(objects, kPages);
  made.reset();
  if (pages_that_fit(objects, kPages) != kPages) throw std::runtime_error("staged objects remain in the store");
  return (kPages - beside) * kPageFloats;
}

Topology topology_of(const std::vector<int>& lanes, int num_shards) {
  Topology topology;
  topology.num_shards = num_shards;
  for (std::size_t node = 0; node < lanes.size(); ++node)
    topology.node_of_lane.insert(topology.node_of_lane.end(), static_cast<std::size_t>(lanes[node]),
                                 static_cast<int>(node));
  return topology;
}

std::string name_of(const PlanRequest& request) {
  return to_string(request.strategy) + std::string(request.deterministic ? "" : " in ring order");
}

PlanRequest on(Topology topology, PlanRequest request) {
  request.topology = std::move(topology);
  return request;
}
