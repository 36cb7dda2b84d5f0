#pragma once

// User functions that DistributedSGD::call_model, foreach_model and foreach_worker call in the processes of the
// workers. A ModelFunction receives a replica and its weights, and a WorkerFunction receives a worker. Both may also
// take the arguments of the call. The function returns nothing, JSON, or a type that converts to JSON. Numbers that are
// not finite are transferred as null.
//
//    sgd.call_model([](troupe::Model&, std::span<const float> weights) { return weights[0]; });

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

namespace troupe {

/// The argument of a WorkerFunction: describes the worker on which the function runs.
struct WorkerView {
  int worker = 0;              ///< number of the worker
  int pid = 0;                 ///< process id of the worker
  std::vector<Model*> models;  ///< the worker's replicas, one for each device
};

namespace detail {

template <class... Seen>
class CalledFunction {
 public:
  CalledFunction() = default;
  // NOLINTBEGIN(google-explicit-constructor): any suitable callable converts to a CalledFunction
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
  /// Calls the function and returns its result as JSON (null if it returns nothing).
  /// @throws Error invalid_argument if the function takes no arguments and `arguments` is not null.
  Json operator()(Seen... seen, const Json& arguments) const {
    if (!takes_arguments_ && !arguments.is_null())
      throw Error(ErrorCode::invalid_argument, "the function takes no arguments");
    return body_(seen..., arguments);
  }

 private:
  /// Returns true if `function` is an empty std::function or a null pointer.
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

/// A function that receives a replica: `[](Model& model, std::span<const float> weights, const Json& arguments) {
/// return weights[0]; }`. `weights` is the flat vector of the replica. The parameter `arguments` is optional.
class ModelFunction : public detail::CalledFunction<Model&, std::span<const float>> {
 public:
  using CalledFunction::CalledFunction;
};

/// A function that receives a worker: `[](const WorkerView& worker) { return worker.pid; }`. An optional second
/// parameter of type `const Json&` receives the arguments of the call.
class WorkerFunction : public detail::CalledFunction<const WorkerView&> {
 public:
  using CalledFunction::CalledFunction;
};

/// Registers a function for DistributedSGD::call_model and foreach_model under a name, so that worker processes can run
/// it. Call register_model_function before `init`.
/// @throws Error invalid_argument if the function is empty, or if the name is taken, empty, longer than 200 bytes, not
/// printable, or starts with '#'.
void register_model_function(const std::string& name, ModelFunction function);
/// Registers a function for DistributedSGD::foreach_worker under a name. The requirements are those of
/// register_model_function.
void register_worker_function(const std::string& name, WorkerFunction function);

}  // namespace troupe
