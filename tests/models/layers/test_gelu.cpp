#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "models/layers/activation_trial.hpp"
#include "troupe/layers/gelu.hpp"

using namespace troupe::test;

namespace {

double gelu_value(double x) { return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2; }
double gelu_derivative(double x) {
  return (1 + std::erf(x / std::numbers::sqrt2)) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

/// Computed by PyTorch 1.13.
const std::vector<Activation> kPyTorchGelu{
    {-6, 0, -2.98023224e-08},
    {-2, -0.0455000997, -0.0852318704},
    {-0.75, -0.169970468, 0.000774204731},
    {-0.125, -0.0562827215, 0.400782049},
    {0, 0, 0.5},
    {0.3, 0.185373425, 0.732327759},
    {1.5, 1.39978909, 1.12746918},
    {4, 3.99987316, 1.00050366},
};

}  // namespace

TEST_CASE("GELU and its derivative equal PyTorch's, at any position in a network") {
  check_activation(troupe::models::gelu(), value_wise(gelu_value, gelu_derivative), kPyTorchGelu);
}
