#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/json.hpp"
#include "troupe/model.hpp"

// Functions beside replicas and workers, for DistributedSGD::call_model and the like. They are shown a replica with its
// weights, or a worker, and take the call's arguments or nothing. They return nothing, JSON, or what becomes JSON; a
// number that is not finite becomes null on its way.
namespace troupe {

/// What a function that runs inside a worker sees of it.
struct WorkerView {
  int worker = 0;
  int pid = 0;
  std::vector<Model*> models;  ///< one per device
};

namespace detail {

template <class... Seen>
class CalledFunction {
 public:
  CalledFunction() = default;
  // NOLINTBEGIN(google-explicit-constructor): a function is one
  template <class F>
  requires(!std::derived_from<F, CalledFunction>) && std::is_invocable_v<F&, Seen..., const Json&> CalledFunction(
                                                         F function)
      : takes_arguments_(true) {
    if (is_empty(function)) return;
    body_ = [function = std::move(function)](Seen... seen, const Json& arguments) mutable {
      return json_of([&]() -> decltype(auto) { return function(seen..., arguments); });
    };
  }
  template <class F>
  requires(!std::derived_from<F, CalledFunction>) &&
      (!std::is_invocable_v<F&, Seen..., const Json&>)&&std::is_invocable_v<F&, Seen...> CalledFunction(F function) {
    if (is_empty(function)) return;
    body_ = [function = std::move(function)](Seen... seen, const Json& /*arguments*/) mutable {
      return json_of([&]() -> decltype(auto) { return function(seen...); });
    };
  }
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return static_cast<bool>(body_); }
  /// @throws Error invalid_argument for arguments where it takes none
  Json operator()(Seen... seen, const Json& arguments) const {
    if (!takes_arguments_ && !arguments.is_null())
      throw Error(ErrorCode::invalid_argument, "the function takes no arguments");
    return body_(seen..., arguments);
  }

 private:
  /// A std::function or pointer may be.
  template <class F>
  static bool is_empty(const F& function) {
    if constexpr (std::is_constructible_v<bool, const F&>)
      return !static_cast<bool>(function);
    else
      return false;
  }
  template <class Call>
  static Json json_of(const Call& call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return Json(call());
    }
  }

  bool takes_arguments_ = false;
  std::function<Json(Seen..., const Json&)> body_;
};

}  // namespace detail

/// Of a replica: `[](Model& model, std::span<const float> weights, const Json& arguments) { return weights[0]; }`.
class ModelFunction : public detail::CalledFunction<Model&, std::span<const float>> {
 public:
  using CalledFunction::CalledFunction;
};

/// Of a worker: `[](const WorkerView& worker) { return worker.pid; }`.
class WorkerFunction : public detail::CalledFunction<const WorkerView&> {
 public:
  using CalledFunction::CalledFunction;
};

/// Make functions known to worker processes under a name. Call before `init`.
/// @throws Error invalid_argument for an empty function, and a name that is taken, begins with #, cannot be shown or
/// has more than 200 bytes
void register_model_function(const std::string& name, ModelFunction function);
void register_worker_function(const std::string& name, WorkerFunction function);

}  // namespace troupe
