#include "models/torch/torch_random.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <mutex>

// Modules such as Dropout cannot be given a generator. But operators that draw random numbers have an argument
// `generator`, and all operators are called through libtorch's dispatcher. A dispatch key that is switched on for a
// thread redirects these operators to `pass_generator`, which sets the argument. The key is one that libtorch reserves
// for tests, so no other part of libtorch uses it. All other operators fall through this key.
namespace troupe {
namespace {

constexpr auto kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

thread_local const at::Generator* generator_of_thread = nullptr;

/// By number of the device: each accelerator has one generator for the whole process.
std::array<std::mutex, 64> accelerator_mutexes;

/// Returns whether no argument of an operator is on an accelerator.
bool is_on_cpu(const torch::jit::Stack& stack, std::size_t num_arguments) {
  for (std::size_t i = 0; i < num_arguments; ++i) {
    const c10::IValue& argument = torch::jit::peek(stack, i, num_arguments);
    if (argument.isTensor() && argument.toTensor().defined() && !argument.toTensor().device().is_cpu()) return false;
    if (argument.isDevice() && !argument.toDevice().is_cpu()) return false;
  }
  return true;
}

void pass_generator(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto& arguments = op.schema().arguments();
  if (generator_of_thread != nullptr && is_on_cpu(*stack, arguments.size()))
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (c10::IValue& value = torch::jit::peek(*stack, i, arguments.size());
          arguments[i].name() == "generator" && value.isNone())
        value = c10::IValue(*generator_of_thread);
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey), stack);
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) { library.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, library) {
  for (const char* const name : {"bernoulli",
                                 "bernoulli_.Tensor",
                                 "bernoulli_.float",
                                 "binomial",
                                 "cauchy_",
                                 "exponential_",
                                 "geometric_",
                                 "log_normal_",
                                 "multinomial",
                                 "normal.Tensor_Tensor",
                                 "normal.Tensor_float",
                                 "normal.float_Tensor",
                                 "normal_",
                                 "poisson",
                                 "random_",
                                 "random_.from",
                                 "random_.to",
                                 "randperm.generator",
                                 "randperm.generator_out",
                                 "rrelu_with_noise",
                                 "rrelu_with_noise_",
                                 "uniform_",
                                 "_sample_dirichlet",
                                 "_standard_gamma"})
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&pass_generator>());
}

}  // namespace

struct TorchRandom::State {
  State(std::uint64_t seed, c10::Device device)
      : generator(at::detail::createCPUGenerator(seed)), before(generator_of_thread) {
    generator_of_thread = &generator;
    if (device.is_cpu()) return;
    accelerator = std::unique_lock(accelerator_mutexes.at(static_cast<std::size_t>(std::max<int>(0, device.index()))));
    at::Generator of_device = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(of_device.mutex());
    of_device.set_current_seed(seed);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { generator_of_thread = before; }

  at::Generator generator;
  const at::Generator* before;
  std::unique_lock<std::mutex> accelerator;
  c10::impl::IncludeDispatchKeyGuard guard{kKey};
};

TorchRandom::TorchRandom(std::uint64_t seed, c10::Device device) : state_(std::make_unique<State>(seed, device)) {}
TorchRandom::~TorchRandom() = default;

}  // namespace troupe
