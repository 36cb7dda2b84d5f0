// Ring all-reduce by hand. Each of four nodes has the gradient of its 250 rows of a linear regression, in four segments
// of one float. The program prints the segments of every node after each phase of reduce-scatter and all-gather. For
// comparison it prints a plain all-gather of whole gradients, and the bytes that each method sends. Then it trains with
// the ring.
#include <array>
#include <cmath>
#include <cstdio>
#include <troupe/troupe.hpp>
#include <vector>

namespace {

constexpr int kNodes = 4;
constexpr int kSteps = 400;
constexpr double kRate = 0.01;

using Segments = std::array<double, kNodes>;  ///< the segments of a gradient, one per node
using Ring = std::array<Segments, kNodes>;    ///< the segments that each node holds

struct Rows {
  std::vector<float> x;  ///< kNodes features per row
  std::vector<float> y;
};

Rows read_rows() {
  const auto data = troupe::load_data("synthetic-linear");
  const auto count = static_cast<std::size_t>(data.train->info().num_samples);
  Rows rows{std::vector<float>(count * kNodes), std::vector<float>(count)};
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(i);
  data.train->fill({.samples = numbers, .values = rows.x, .labels = {}, .targets = rows.y});
  return rows;
}

/// Returns the sum of the gradients over the node's quarter of the rows.
Segments gradient_of(const Rows& rows, std::size_t node, const Segments& w) {
  Segments gradient{};
  const std::size_t each = rows.y.size() / kNodes;
  for (std::size_t row = node * each; row < (node + 1) * each; ++row) {
    double error = -static_cast<double>(rows.y[row]);
    for (std::size_t i = 0; i < kNodes; ++i) error += w[i] * static_cast<double>(rows.x[row * kNodes + i]);
    for (std::size_t i = 0; i < kNodes; ++i) gradient[i] += 2 * error * static_cast<double>(rows.x[row * kNodes + i]);
  }
  return gradient;
}

std::size_t modulo(int value) { return static_cast<std::size_t>((value + 2 * kNodes) % kNodes); }

void print(const char* what, int phase, const Ring& ring) {
  std::printf("%s, phase %d\n", what, phase);
  for (int node = 0; node < kNodes; ++node) {
    std::printf("  node %d:", node);
    for (const double segment : ring[modulo(node)]) std::printf(" %12.3f", segment);
    std::printf("\n");
  }
}

/// In each phase every node sends one segment to the next node, which adds it (reduce-scatter) or stores it
/// (all-gather). Returns the bytes that each node has sent.
std::size_t all_reduce(Ring& ring, bool prints) {
  std::size_t bytes = 0;
  for (const bool adds : {true, false})
    for (int phase = 0; phase < kNodes - 1; ++phase) {
      const Ring before = ring;
      for (int node = 0; node < kNodes; ++node) {
        const std::size_t sent = modulo(adds ? node - phase : node + 1 - phase);
        double& to = ring[modulo(node + 1)][sent];
        to = (adds ? to : 0) + before[modulo(node)][sent];
      }
      bytes += sizeof(float);  // the size of a segment on the network
      if (prints) print(adds ? "reduce-scatter" : "all-gather", phase + 1, ring);
    }
  return bytes;
}

/// Every node sends its whole gradient to every other node and adds all gradients. Returns the bytes that each node has
/// sent.
std::size_t plain_all_gather(Ring& ring) {
  const Ring before = ring;
  for (Segments& sums : ring)
    for (std::size_t i = 0; i < kNodes; ++i) {
      sums[i] = 0;
      for (const Segments& each : before) sums[i] += each[i];
    }
  return static_cast<std::size_t>(kNodes - 1) * kNodes * sizeof(float);
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const Rows rows = read_rows();
  Segments w{};
  double apart = 0;
  for (int step = 0; step < kSteps; ++step) {
    Ring ring;
    for (std::size_t node = 0; node < kNodes; ++node) ring[node] = gradient_of(rows, node, w);
    Ring gathered = ring;
    const bool first = step == 0;
    if (first) print("gradients", 0, ring);
    const std::size_t ring_bytes = all_reduce(ring, first);
    const std::size_t plain_bytes = plain_all_gather(gathered);
    if (first) {
      print("plain all-gather", 1, gathered);
      std::printf(
          "a node sends %zu bytes around the ring, 2 (N-1)/N of its gradient of %zu, and %zu in a plain all-gather\n",
          ring_bytes, kNodes * sizeof(float), plain_bytes);
    }
    for (std::size_t node = 0; node < kNodes; ++node)
      for (std::size_t i = 0; i < kNodes; ++i)
        apart = std::max(apart, std::abs(ring[node][i] - gathered[node][i]) / (1 + std::abs(gathered[node][i])));
    for (std::size_t i = 0; i < kNodes; ++i) w[i] -= kRate * ring[i][i] / static_cast<double>(rows.y.size());
  }
  std::printf("after %d steps:", kSteps);
  for (const double each : w) std::printf(" %.6f", each);
  std::printf("\nboth sums: within %.1e of each other\n", apart);
  return apart < 1e-9 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
