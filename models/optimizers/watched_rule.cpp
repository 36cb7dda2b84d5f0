#include "models/optimizers/watched_rule.hpp"

#include <exception>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Runs a part of the rule.
template <class Work>
auto named(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), "optimizer '" + name + "': " + error.message(), error.where());
  } catch (const std::exception& error) {
    throw Error(ErrorCode::model_failed, "optimizer '" + name + "': " + error.what());
  } catch (...) {
    throw Error(ErrorCode::model_failed, "optimizer '" + name + "' threw what is no exception");
  }
}

bool wrote_finite(const UpdateChunk& chunk, std::size_t state_vectors) {
  bool finite = all_finite({chunk.new_weights, chunk.count});
  for (std::size_t vector = 0; vector < state_vectors; ++vector)
    finite = finite && all_finite({chunk.new_state[vector], chunk.count});
  return finite;
}

UpdateFunction watched(const std::string& name, UpdateFunction update, std::size_t state_vectors) {
  if (!update) throw Error(ErrorCode::model_failed, "it prepared no function");
  return [name, update = std::move(update), state_vectors](const UpdateChunk& chunk) {
    return named(name, [&] { return update(chunk) && wrote_finite(chunk, state_vectors); });
  };
}

}  // namespace

MakeRule watched(const std::string& name, MakeUpdateRule make) {
  return [name, make = std::move(make)](const OptimizerSettings& settings) {
    const auto options = std::get<RegisteredOptimizer>(optimizer_of(settings));
    UpdateRule rule = named(name, [&] { return make(options); });
    if (!rule.prepare) return rule;  // refused where all rules are
    rule.prepare = [name, prepare = std::move(rule.prepare), count = rule.state.size()](const UpdateStep& step) {
      return named(name, [&] { return watched(name, prepare(step), count); });
    };
    return rule;
  };
}

}  // namespace troupe
