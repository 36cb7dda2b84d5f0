// A network of the user: two layers, written with Eigen, learn the product of two numbers.
#include <iostream>
#include <random>
#include <troupe/eigen.hpp>
#include <troupe/sgd.hpp>

using namespace troupe::eigen;

class Product : public troupe::Model {
  troupe::ModelInfo prepare(const troupe::ReplicaContext&) override {
    return troupe::info_of({{"w1", {2, 16}}, {"b1", {16}}, {"w2", {16, 1}}, {"b2", {1}}});
  }

 public:
  void initialize(std::span<float> weights, std::uint64_t seed) override {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<float> normal(0, 0.5F);
    for (float& weight : weights) weight = normal(random);
  }
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override {
    std::mt19937 random(static_cast<unsigned>(at.step * at.num_shards + at.shard));  // the shard's batch of this step
    std::uniform_real_distribution<float> number(-1, 1);
    const Matrix x = Matrix::NullaryExpr(64, 2, [&] { return number(random); });
    const Column y = x.col(0).cwiseProduct(x.col(1));
    const auto w = tensors(info(), weights);
    const auto g = tensors(info(), gradient);
    const Matrix hidden = ((x * w.matrix("w1")).rowwise() + w.row("b1")).array().tanh();
    const Column error = (hidden * w.matrix("w2") - y).array() + w.row("b2")[0];
    const Matrix before = (2 * error * w.matrix("w2").transpose()).array() * (1 - hidden.array().square());
    g.matrix("w1") = x.transpose() * before;
    g.row("b1") = before.colwise().sum();
    g.matrix("w2") = 2 * hidden.transpose() * error;
    g.row("b2")[0] = 2 * error.sum();
    return {error.squaredNorm(), x.rows()};
  }
};

int main(int argc, char** argv) {
  troupe::init(argc, argv);
  troupe::DistributedSGD sgd{[](int, int) { return std::make_unique<Product>(); },
                             {.num_workers = 2, .optimizer = troupe::Adam{.learning_rate = 0.01}, .verbose = false}};
  double loss = 0;
  for (int i = 0; i < 500; ++i) loss = sgd.step().loss;
  const auto weights = sgd.weights();
  std::cout << "loss " << loss << ", the first layer is\n" << tensors(sgd.tensors(), weights).matrix("w1") << '\n';
  return loss < 0.01 ? 0 : 1;
}
