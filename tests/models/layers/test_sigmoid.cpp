#include <doctest/doctest.h>

#include <cmath>

#include "models/layers/activation_trial.hpp"
#include "troupe/layers/sigmoid.hpp"

using namespace troupe::test;

namespace {

double sigmoid_value(double x) { return 1 / (1 + std::exp(-x)); }
double sigmoid_derivative(double x) { return sigmoid_value(x) * (1 - sigmoid_value(x)); }

/// Computed by PyTorch 1.13.
const std::vector<Activation> kPyTorchSigmoid{
    {-6, 0.00247262302, 0.00246650912},
    {-2, 0.119202919, 0.104993582},
    {-0.75, 0.320821285, 0.217894986},
    {-0.125, 0.468790621, 0.249025956},
    {0, 0.5, 0.25},
    {0.3, 0.574442506, 0.244458318},
    {1.5, 0.817574441, 0.149146467},
    {4, 0.982013762, 0.0176627338},
};

}  // namespace

TEST_CASE("sigmoid and its derivative equal PyTorch's, at any position in a network") {
  check_activation(troupe::models::sigmoid(), value_wise(sigmoid_value, sigmoid_derivative), kPyTorchSigmoid);
}
