// Computes the same coefficients, 5 3 2 1, in several ways:
// - gradient descent by hand on all 1000 rows;
// - one worker that accumulates the gradients of four shards with 250 rows each;
// - four workers with one shard each, also with a ring and with a parameter server;
// - four asynchronous workers: Downpour, and stale synchronous with workers at most two steps apart;
// - local SGD, with eight steps of each shard between two averages;
// - L-BFGS, which converges in about ten iterations.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <troupe/troupe.hpp>
#include <vector>

namespace {

constexpr int kSteps = 400;
constexpr double kRate = 0.01;

std::vector<float> gradient_descent(const troupe::DataSource& rows) {
  const auto features = static_cast<std::size_t>(rows.info().sample_size());
  std::vector<double> w(features);
  std::vector<float> x(features);
  float y = 0;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> gradient(features);
    for (std::int64_t row = 0; row < rows.info().num_samples; ++row) {
      rows.fill({.samples = {&row, 1}, .values = x, .labels = {}, .targets = {&y, 1}});
      double error = -static_cast<double>(y);
      for (std::size_t i = 0; i < features; ++i) error += w[i] * x[i];
      for (std::size_t i = 0; i < features; ++i) gradient[i] += 2 * error * x[i];
    }
    for (std::size_t i = 0; i < features; ++i)
      w[i] -= kRate * gradient[i] / static_cast<double>(rows.info().num_samples);
  }
  return {w.begin(), w.end()};
}

std::vector<float> distributed(const troupe::TrainingData& data, int workers,
                               const troupe::Algorithm& algorithm = troupe::Synchronous(),
                               troupe::Strategy strategy = troupe::Strategy::automatic) {
  troupe::DistributedSGD sgd{[data](int, int) { return troupe::models::linear_regression(data); },
                             {.num_workers = workers,
                              .num_shards = 4,
                              .optimizer = troupe::Sgd{.learning_rate = kRate},
                              .algorithm = algorithm,
                              .gradients = {.strategy = strategy},
                              .verbose = false}};
  while (sgd.steps_done() < kSteps) sgd.step();  // a call of local SGD makes eight steps
  return sgd.weights();
}

std::vector<float> by_lbfgs(const troupe::TrainingData& data) {
  troupe::DistributedSGD sgd{
      [data](int, int) { return troupe::models::linear_regression(data); },
      {.num_workers = 4, .algorithm = troupe::Lbfgs{.history = 10, .tolerance = 1e-5}, .verbose = false}};
  troupe::StepReport report;
  while (report.lbfgs.end == troupe::LbfgsEnd::none) report = sgd.step();
  std::printf("L-BFGS: %s after %lld iterations\n", to_string(report.lbfgs.end), static_cast<long long>(report.step));
  return sgd.weights();
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

void print(const char* how, const std::vector<float>& w) {
  std::printf("%-34s", how);
  for (const float each : w) std::printf(" %.6f", static_cast<double>(each));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  troupe::init(argc, argv);
  const auto data = troupe::load_data("synthetic-linear");
  const auto plain = gradient_descent(*data.train);
  const auto accumulated = distributed(data, 1);
  const auto parallel = distributed(data, 4);
  print("gradient descent", plain);
  print("one worker, four shards of 250", accumulated);
  print("four workers", parallel);
  const auto ring = distributed(data, 4, troupe::Synchronous(), troupe::Strategy::ring);
  const auto served = distributed(data, 4, troupe::Synchronous(), troupe::Strategy::parameter_server);
  print("four workers, ring", ring);
  print("four workers, parameter server", served);
  const auto downpour = distributed(data, 4, troupe::Downpour());
  const auto stale = distributed(data, 4, troupe::Ssp{.staleness = 2});
  print("four workers, Downpour", downpour);
  print("four workers, stale synchronous", stale);

  const auto local = distributed(data, 4, troupe::LocalSgd());
  const auto lbfgs = by_lbfgs(data);
  print("four workers, local SGD", local);
  print("four workers, L-BFGS", lbfgs);

  const double apart = largest_difference(plain, parallel);
  const double asynchronous = std::max(largest_difference(plain, downpour), largest_difference(plain, stale));
  const bool same = accumulated == parallel && ring == parallel && served == parallel;
  const double means = largest_difference(plain, local);
  const double exact = largest_difference({5, 3, 2, 1}, lbfgs);
  std::printf("synchronous: %s; by hand in double: within %.1e; asynchronous: within %.1e; local: within %.1e\n",
              same ? "bitwise identical" : "different", apart, asynchronous, means);
  std::printf("L-BFGS: within %.1e of 5 3 2 1\n", exact);
  return same && apart < 1e-4 && asynchronous < 1e-2 && means < 1e-2 && exact < 1e-5 ? 0 : 1;
} catch (const troupe::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
