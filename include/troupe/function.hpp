#pragma once

// Functions that run on the workers of a Trainer:
//
//    troupe::register_function("train", [](const troupe::Json& config) { return config.value("lr", 0.1); });

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "troupe/task_context.hpp"

namespace troupe {

/// A function that runs on workers. It takes no arguments, or the config of the run (`const Json&`). It returns
/// nothing, JSON, a type that converts to JSON, NamedTensors, or a TaskResult.
class TrainFunction {
 public:
  TrainFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, TrainFunction>) && std::is_invocable_v<F&, const Json&>
      // NOLINTNEXTLINE(google-explicit-constructor): any suitable callable converts to a TrainFunction
      TrainFunction(F function)
      : body_([function = std::move(function)](const Json& config) mutable {
          return returned([&]() -> decltype(auto) { return function(config); });
        }) {}
  template <class F>
  requires(!std::is_invocable_v<F&, const Json&>) && std::is_invocable_v<F&>
      // NOLINTNEXTLINE(google-explicit-constructor)
      TrainFunction(F function)
      : body_([function = std::move(function)](const Json&) mutable {
          return returned([&]() -> decltype(auto) { return function(); });
        }) {}

  /// Returns true if this object contains a function.
  explicit operator bool() const { return static_cast<bool>(body_); }
  /// Calls the function with `config` and returns its result as a TaskResult.
  TaskResult operator()(const Json& config) const { return body_(config); }

 private:
  template <class Call>
  static TaskResult returned(const Call& call) {
    using R = std::remove_cvref_t<decltype(call())>;
    if constexpr (std::is_void_v<R>) {
      call();
      return {};
    } else if constexpr (std::same_as<R, TaskResult>) {
      return call();
    } else if constexpr (std::same_as<R, NamedTensors>) {
      return {{}, call()};
    } else {
      return {Json(call()), {}};
    }
  }

  std::function<TaskResult(const Json&)> body_;
};

/// Registers a function under a name, so that workers in other processes can run it. Call register_function before
/// `init`.
/// @throws Error invalid_argument if the function is empty, or if the name is taken, empty, longer than 200 bytes, not
/// printable, or starts with '#'.
void register_function(const std::string& name, TrainFunction function);

}  // namespace troupe
