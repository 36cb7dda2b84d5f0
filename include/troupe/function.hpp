#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "troupe/task_context.hpp"

namespace troupe {

/// A function that runs on workers: it takes nothing or the run's config, and returns nothing, JSON (or what becomes
/// JSON), named tensors, or both.
class TrainFunction {
 public:
  TrainFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, TrainFunction>) && std::is_invocable_v<F&, const Json&>
      // NOLINTNEXTLINE(google-explicit-constructor): a function is one
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

  explicit operator bool() const { return static_cast<bool>(body_); }
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

/// Makes a function known to workers in other processes under a name. Call it before `init`.
/// @throws Error invalid_argument for a name that is taken.
void register_function(const std::string& name, TrainFunction function);

}  // namespace troupe
