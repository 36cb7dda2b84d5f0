#include <algorithm>
#include <array>
#include <atomic>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>

#include "actors/callbacks/step_callbacks.hpp"
#include "actors/driver/driver.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/functions/function_table.hpp"
#include "actors/placements/placements.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/files/weight_file.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/cores.hpp"
#include "troupe/call.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

/// Registers `function` in `table` under a temporary name. Returns a loan: an object that contains the temporary name,
/// and removes the function from `table` on destruction.
/// @throws Error unsupported if the placement's workers accept no functions by value; invalid_argument if `function` is
/// empty
template <class F>
typename FunctionTable<F>::Loan lend(FunctionTable<F>& table, const F& function, Placement placement) {
  if (!rules_of(placement).takes_lambdas)
    throw Error(ErrorCode::unsupported,
                "worker processes cannot receive a function by value: register the function by name");
  if (!function) throw_invalid("the function is empty");
  return {table, function};
}

}  // namespace

const char* to_string(Precision precision) { return precision == Precision::bf16 ? "bf16" : "f32"; }

namespace {

/// Returns a new string stream with the classic locale and default flags. The operators `<<` of reports format their
/// text in this stream and then copy it. Therefore numbers have a decimal point in every locale, and the format flags
/// of the caller's stream do not change.
std::ostringstream plain_stream() {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  return stream;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const PhaseSeconds& seconds) {
  std::ostringstream text = plain_stream();
  text << std::fixed << std::setprecision(6);
  for (const double each : seconds.compute) text << "compute grad interior time " << each << '\n';
  constexpr double kNoticed = 0.001;
  for (const double each : seconds.data)
    if (each >= kNoticed) text << "data wait interior time " << each << '\n';
  text << "compute all grads time " << seconds.compute_all << '\n' << "grad reduce time " << seconds.reduce << '\n';
  for (const double each : seconds.apply) text << "apply grad interior time " << each << '\n';
  text << "apply all grads time " << seconds.apply_all << '\n';
  return out << text.str();
}

std::ostream& operator<<(std::ostream& out, const Slowest& slowest) {
  if (!slowest.stands_out()) return out;
  std::ostringstream text = plain_stream();
  text << std::fixed << std::setprecision(6) << "slowest worker " << slowest.worker << ", " << slowest.seconds
       << " against " << slowest.others << " of the others\n";
  return out << text.str();
}

std::ostream& operator<<(std::ostream& out, const LocalReport& local) {
  if (local.steps == 0) return out;
  std::ostringstream text = plain_stream();
  text << "local steps " << local.steps << ", drift " << local.drift << '\n';
  return out << text.str();
}

std::ostream& operator<<(std::ostream& out, const LbfgsReport& lbfgs) {
  if (lbfgs.evaluations == 0) return out;
  std::ostringstream text = plain_stream();
  text << "L-BFGS evaluations " << lbfgs.evaluations << ", objective " << lbfgs.objective << ", step length "
       << lbfgs.step_length << ", largest gradient " << lbfgs.largest << ", pairs " << lbfgs.pairs << ", portions "
       << lbfgs.portions << ", backups " << lbfgs.backups << '\n';
  return out << text.str();
}

class DistributedSGD::Impl {
 public:
  Impl(ModelCreator creator, Options options) : callbacks(options), driver(std::move(creator), std::move(options)) {
    report.unit = driver->unit();
    callbacks->start(driver->run().options, driver->run().num_workers(), driver->run().steps_done());
  }
  ~Impl() {
    if (!owner().is_this()) return;
    driver->files().finish();
    callbacks->end(driver->files().take_written());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Gives access to the driver during one call of a public function. Only one such object may exist at a time.
  /// @throws Error invalid_argument if another call has not returned
  class Call {
   public:
    explicit Call(Impl& impl) : impl_(impl) {
      if (impl_.busy_.exchange(true))
        throw Error(ErrorCode::invalid_argument,
                    "this DistributedSGD is busy: only one thread at a time may use it, and a function that reads its "
                    "weights may not call it");
    }
    ~Call() { impl_.busy_ = false; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    Driver* operator->() const { return impl_.driver.operator->(); }

   private:
    Impl& impl_;
  };
  Call call() { return Call(*this); }

  std::vector<Json> call_by_value(const ModelFunction& function, const Json& arguments, bool first_only) {
    const Call at_work = call();
    const auto lent = lend(functions().of_models, function, at_work->run().options.placement);
    return at_work->call_model(lent.name(), arguments, first_only);
  }

  /// Makes a step, stores its report in `report` and prints it if `Options::verbose` is set, and then runs the
  /// callbacks. They run when the Call has released the driver, so that they can call functions of this DistributedSGD.
  StepReport step() {
    std::optional<std::int64_t> before;  // the number of steps before this one; empty if another call has not returned
    try {
      const Call at_work = call();
      before = at_work->run().steps_done();
      report = at_work->step();
      report.unit = at_work->unit();
      if (at_work->run().options.verbose)
        std::cout << report.seconds << report.slowest << report.local << report.lbfgs << std::flush;
    } catch (const Error& error) {
      if (before) callbacks->failure(error);
      throw;
    }
    StepReport made = report;
    callbacks->step(made, *before, driver->steps_per_epoch());
    tell_checkpoints();
    return made;
  }
  /// Passes the checkpoints that were written since the last call to the callbacks. First checks again that this
  /// process created this object, because a callback may have forked and then returned in the child.
  void tell_checkpoints() {
    owner().check("this DistributedSGD");
    callbacks->checkpoints(driver->files().take_written());
  }

  /// Returns the process that created this object. In a child made by fork, all other functions of this object report
  /// an error, because the child has neither the driver's threads nor its workers.
  const OwningProcess& owner() const { return driver.owner(); }

  OwnedHere<StepCallbacks> callbacks;
  OwnedHere<Driver> driver;
  StepReport report;

 private:
  std::atomic<bool> busy_{false};
};

DistributedSGD::Impl* DistributedSGD::Held::operator->() const {
  if (!impl) throw Error(ErrorCode::invalid_argument, "this DistributedSGD was moved from");
  impl->owner().check("this DistributedSGD");
  return impl.get();
}

DistributedSGD::DistributedSGD(ModelCreator creator, Options options)
    : impl_{std::make_unique<Impl>(std::move(creator), std::move(options))} {
  const Options& o = impl_->driver->run().options;
  if (o.verbose && on_one_machine(o.placement)) note_shared_cores(num_workers(), 1);
  if (o.verbose) note_precision(precision_choice());
  if (o.verbose && std::holds_alternative<LocalSgd>(o.algorithm))
    log_line(LogLevel::info, "weights and the optimizer state of each shard use " +
                                 std::to_string(state_bytes() / 1'000'000) + " MB of each object store");
}

std::int64_t DistributedSGD::state_bytes() const { return impl_->driver->run().preparation.state_bytes(); }
DistributedSGD::~DistributedSGD() = default;
DistributedSGD::DistributedSGD(DistributedSGD&&) noexcept = default;
DistributedSGD& DistributedSGD::operator=(DistributedSGD&&) noexcept = default;

StepReport DistributedSGD::step() { return impl_->step(); }

void DistributedSGD::set_learning_rate(double rate) { impl_->call()->set_learning_rate(rate); }

void DistributedSGD::use(const Algorithm& algorithm) { impl_->call()->use(algorithm); }

const char* to_string(LbfgsEnd end) {
  constexpr std::array kNames{"none", "converged", "no_descent", "budget"};
  return kNames.at(static_cast<std::size_t>(end));
}

void DistributedSGD::warmup() { impl_->call()->step(true); }
const StepReport& DistributedSGD::report() const { return impl_->report; }
bool DistributedSGD::should_stop() const { return impl_->callbacks->wants_to_stop(); }

std::vector<float> DistributedSGD::weights() {
  std::vector<float> copy;
  read_weights([&](std::span<const float> canonical) { copy.assign(canonical.begin(), canonical.end()); });
  return copy;
}
void DistributedSGD::read_weights(const ReadWeights& use) { impl_->call()->state().read_weights(use); }
void DistributedSGD::set_weights(std::span<const float> canonical) { impl_->call()->state().set_weights(canonical); }
void DistributedSGD::resize(int num_workers) { impl_->call()->resize(num_workers); }
int DistributedSGD::num_workers() const { return impl_->driver->run().num_workers(); }
const std::vector<TensorInfo>& DistributedSGD::tensors() const { return impl_->driver->run().model().tensors; }

void DistributedSGD::save(const std::string& path) {
  const std::string& network = impl_->driver->run().model().network;
  read_weights([&](std::span<const float> canonical) { write_safetensors(path, tensors(), canonical, network); });
}
namespace {

/// Returns the first 8 of `names`, separated by commas. If there are more than 8 names, appends the number of the
/// others, as in "and 5 more".
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) list += (i > 0 ? ", " : "") + printable(names[i], 60);
  return names.size() > kMost ? list + " and " + std::to_string(names.size() - kMost) + " more" : list;
}

}  // namespace

std::vector<std::string> DistributedSGD::load(const std::string& path, const LoadOptions& options) {
  const std::string& network = impl_->driver->run().model().network;
  const SafetensorsFile file(weights_file_of(path));
  const std::string& from = file.file().path();
  check_same_inputs(from, file.network(), network);
  if (!options.new_head) {
    set_weights(troupe::read_weights(file, tensors()));
    return {};
  }
  if (!network.empty()) check_has_own_head(network_from_json("", network).layers);
  std::vector<float> all = weights();
  auto anew = read_without_head(file, tensors(), all);
  set_weights(all);
  log_line(LogLevel::info, printable(from) + ": of " + std::to_string(tensors().size()) + " tensors " +
                               std::to_string(anew.size()) + " are re-initialised: " + list_of(anew));
  return anew;
}
void DistributedSGD::save_state(const std::string& path) {
  impl_->call()->files().save(path);
  impl_->tell_checkpoints();
}
void DistributedSGD::load_state(const std::string& path) { impl_->call()->files().load(path); }

std::string DistributedSGD::checkpoint(std::optional<double> metric) {
  std::string path = impl_->call()->files().checkpoint(metric);
  impl_->tell_checkpoints();
  return path;
}
std::int64_t DistributedSGD::steps_done() const { return impl_->driver->run().steps_done(); }

Evaluation DistributedSGD::evaluate(EvaluationSet set, const EvaluationOptions& measure) {
  Evaluation evaluation = impl_->call()->evaluate(set, measure);
  evaluation.unit = impl_->driver->unit();
  impl_->callbacks->evaluation(evaluation, set, steps_done());
  return evaluation;
}

const Json& no_arguments() {
  static const Json& none = *new Json;
  return none;
}

Json DistributedSGD::call_model(const ModelFunction& function, const Json& arguments) {
  return impl_->call_by_value(function, arguments, true).at(0);
}
Json DistributedSGD::call_model(const std::string& name, const Json& arguments) {
  return impl_->call()->call_model(name, arguments, true).at(0);
}
std::vector<Json> DistributedSGD::foreach_model(const ModelFunction& function, const Json& arguments) {
  return impl_->call_by_value(function, arguments, false);
}
std::vector<Json> DistributedSGD::foreach_model(const std::string& name, const Json& arguments) {
  return impl_->call()->call_model(name, arguments, false);
}
std::vector<Json> DistributedSGD::foreach_worker(const WorkerFunction& function, const Json& arguments) {
  const auto driver = impl_->call();
  const auto lent = lend(functions().of_workers, function, driver->run().options.placement);
  return driver->call_worker(lent.name(), arguments);
}
std::vector<Json> DistributedSGD::foreach_worker(const std::string& name, const Json& arguments) {
  return impl_->call()->call_worker(name, arguments);
}

std::int64_t DistributedSGD::steps_per_epoch() const { return impl_->driver->steps_per_epoch(); }
Precision DistributedSGD::precision() const {
  return static_cast<Precision>(impl_->driver->run().model().traits.precision);
}
PrecisionChoice DistributedSGD::precision_choice() const { return impl_->driver->run().preparation.precision_choice(); }
std::vector<int> DistributedSGD::worker_pids() const { return impl_->driver->run().worker_pids(); }

}  // namespace troupe
