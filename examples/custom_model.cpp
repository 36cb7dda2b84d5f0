// A model of the user: logistic regression on two clouds of points. Each replica generates the points. The model has a
// registered name, so that worker processes can also create it.
#include <iostream>
#include <random>
#include <troupe/eigen.hpp>
#include <troupe/sgd.hpp>

namespace {

using namespace troupe::eigen;

class TwoClouds : public troupe::Model {
 public:
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override {
    std::mt19937 random(static_cast<unsigned>(at.shard));  // a shard has the same points on each worker
    std::normal_distribution<float> noise;
    const Column side = Column::NullaryExpr(kPoints, [](Eigen::Index i) { return i % 2 == 0 ? 1.0F : -1.0F; });
    Matrix points = Matrix::NullaryExpr(kPoints, 2, [&] { return noise(random); });
    points += side * Row{{1, 2}};  // the centres of the clouds

    const auto w = tensors(info(), weights);
    const auto g = tensors(info(), gradient);
    const Eigen::ArrayXf margin = side.array() * ((points * w.column("slopes")).array() + w.row("intercept")[0]);
    const Column slope = -side.array() / (1 + margin.exp());
    g.column("slopes") = points.transpose() * slope;
    g.row("intercept")[0] = slope.sum();
    return {(-margin).exp().log1p().sum(), kPoints};
  }

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override {
    return troupe::info_of({{"slopes", {2}}, {"intercept", {1}}});
  }

 private:
  static constexpr Eigen::Index kPoints = 500;
};

}  // namespace

int main(int argc, char** argv) try {
  troupe::register_model("two-clouds", [](const troupe::ReplicaContext&) { return std::make_unique<TwoClouds>(); });
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{"two-clouds",
                             {.num_workers = 2,
                              .placement = troupe::Placement::processes,
                              .optimizer = troupe::Sgd{.learning_rate = 0.5},
                              .verbose = false}};
  double loss = 0;
  for (int step = 0; step < 200; ++step) loss = sgd.step().loss;
  const auto w = sgd.weights();
  std::cout << "loss " << loss << ", boundary " << w[0] << " x + " << w[1] << " y + " << w[2] << " = 0\n";
  return loss < 0.05 && w[1] > w[0] ? 0 : 1;  // the distance between the clouds is larger along y
} catch (const troupe::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
