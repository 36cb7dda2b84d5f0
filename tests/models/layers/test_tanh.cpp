#include <doctest/doctest.h>

#include <cmath>

#include "models/layers/activation_trial.hpp"
#include "troupe/layers/tanh.hpp"

using namespace troupe::test;

namespace {

double tanh_value(double x) { return std::tanh(x); }
double tanh_derivative(double x) { return 1 - tanh_value(x) * tanh_value(x); }

/// Computed by PyTorch 1.13.
const std::vector<Activation> kPyTorchTanh{
    {-6, -0.999987721, 2.45569627e-05},
    {-2, -0.964027584, 0.070650816},
    {-0.75, -0.635148942, 0.59658581},
    {-0.125, -0.124352999, 0.98453635},
    {0, 0, 1},
    {0.3, 0.291312635, 0.915136933},
    {1.5, 0.905148268, 0.18070662},
    {4, 0.999329329, 0.0013408931},
};

}  // namespace

TEST_CASE("tanh and its derivative equal PyTorch's, at any position in a network") {
  check_activation(troupe::models::tanh(), value_wise(tanh_value, tanh_derivative), kPyTorchTanh);
}
