#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "actors/functions/rank_context.hpp"
#include "collectives/exchange/page_squares.hpp"
#include "collectives/exchange/reduce.hpp"
#include "collectives/group/communicator.hpp"
#include "collectives/plan/page_tree.hpp"
#include "collectives/plan/tree.hpp"
#include "models/aligned.hpp"
#include "models/dense.hpp"
#include "models/files/weight_file.hpp"
#include "models/optimizers/update_rules.hpp"
#include "models/optimizers/vector_update.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/memory.hpp"
#include "troupe/loop.hpp"

namespace troupe {
namespace {

/// Returns the number of floats in each rank's part of the flat vector. Each part has this size, so the vector is
/// padded at its end. A part consists of whole pages, because the norm of the gradient is computed from the sums of
/// squares of pages.
/// @param size the size of the flat vector, in floats
/// @param ranks the number of ranks
std::size_t part_floats(std::size_t size, int ranks) {
  const auto parts = static_cast<std::size_t>(ranks);
  return ((size + parts - 1) / parts + kPageFloats - 1) / kPageFloats * kPageFloats;
}

std::shared_ptr<Model> started(std::shared_ptr<Model> model, const Group& group, std::uint64_t seed) {
  if (!model) throw_invalid("an optimizer needs a model");
  try {
    static_cast<void>(model->info());
  } catch (const Error&) {
    model->start(context_of_rank(group.rank(), group.size(), seed));
  }
  return model;
}

}  // namespace

class GroupSGD::Impl {
 public:
  Impl(std::shared_ptr<Model> its_model, Group its_group, const Optimizer& optimizer, double clip_norm,
       std::uint64_t seed)
      : model_(started(std::move(its_model), its_group, seed)),
        group_(std::move(its_group)),
        rules_(settings_of(optimizer, clip_norm)),
        runs_(group_runs(rules_.groups(), *model_)),
        seed_(seed),
        part_(part_floats(size(), group_.size())),
        weights_(part_ * static_cast<std::size_t>(group_.size())),
        gradient_(weights_.size()),
        mean_(part_),
        updated_(part_) {
    for (int vector = 0; vector < rules_.state_vectors(); ++vector) {
      state_[static_cast<std::size_t>(vector)].resize(part_);
      new_state_[static_cast<std::size_t>(vector)].resize(part_);
    }
    check_alike();
    model_->initialize(flat(weights_), seed_);
  }

  GroupStep step(std::int64_t batch) {
    check_owner();
    const ShardStep at{.shard = group_.rank(), .num_shards = group_.size(), .step = batch, .seed = seed_};
    const BatchResult own = model_->gradient(at, flat(std::as_const(weights_)), flat(gradient_));
    clear_frozen(runs_, flat(gradient_));
    const bool counts = own.samples == 0 || own.correct >= 0;
    const double correct = counts ? static_cast<double>(std::max<std::int64_t>(own.correct, 0)) : std::nan("");
    std::array<double, 3> sums{own.loss_sum, static_cast<double>(own.samples), correct};
    group_.all_reduce(std::span<double>(sums));
    GroupStep step{steps_ + 1, sums[0] / sums[1], static_cast<std::int64_t>(sums[1]), rules_.learning_rate(steps_)};
    if (!std::isnan(sums[2]) && step.samples > 0) step.accuracy = sums[2] / sums[1];
    if (step.samples == 0) throw Error(ErrorCode::bad_data, "no rank has a sample in this batch");
    if (!std::isfinite(step.loss))
      throw Error(ErrorCode::non_finite_loss, "the loss is not finite", {.step = step.step});
    reduce(step.samples);
    update(step);
    // Gather the new weights of all ranks in `gradient_`, because the gradient is no longer needed, and then swap
    // `gradient_` with `weights_`. So `weights_` stays unchanged if gathering fails.
    group_.all_gather(std::span<const float>(updated_), std::span<float>(gradient_));
    std::swap(weights_, gradient_);
    std::swap(state_, new_state_);
    ++steps_;
    ++updates_;
    return step;
  }

  std::int64_t steps_done() const { return steps_; }
  const Model& model() const { return *model_; }

  Evaluation evaluate(EvaluationSet set) {
    check_owner();
    const auto weights = flat(std::as_const(weights_));
    const ShardStep at{.shard = group_.rank(),
                       .num_shards = group_.size(),
                       .step = steps_,
                       .seed = seed_,
                       .set = set,
                       .weights = WeightsVersion::begin(weights)};
    const EvaluationResult own = model_->evaluate(at, weights);
    std::array<double, 3> sums{own.loss_sum, static_cast<double>(own.correct), static_cast<double>(own.samples)};
    group_.all_reduce(std::span<double>(sums));
    if (sums[2] == 0) throw Error(ErrorCode::bad_data, "the model has no such set of samples");
    Evaluation evaluation;
    evaluation.samples = static_cast<std::int64_t>(sums[2]);
    evaluation.loss = sums[0] / sums[2];
    evaluation.accuracy = sums[1] / sums[2];
    evaluation.unit = model_->info().unit;
    return evaluation;
  }

  std::vector<float> canonical(const AlignedFloats& vector) const {
    AlignedFloats whole(floats());
    model_->to_canonical(flat(vector), whole);
    return {whole.begin(), whole.end()};
  }
  std::vector<float> weights() const { return canonical(weights_); }

  void set_weights(std::span<const float> values) {
    weights_ = from_canonical(values);
    for (AlignedFloats& each : state_) std::ranges::fill(each, 0.0f);
    updates_ = 0;
  }

  NamedTensors state() {
    NamedTensors all = named("", weights());
    for (int vector = 0; vector < rules_.state_vectors(); ++vector) {
      AlignedFloats whole(weights_.size());
      group_.all_gather(std::span<const float>(state_[static_cast<std::size_t>(vector)]), std::span<float>(whole));
      for (NamedTensor& each : named(rules_.state_name(vector) + '/', canonical(whole))) all.push_back(std::move(each));
    }
    // A tensor contains only floats. A float stores each integer below 2^24 exactly, so a number is stored as two
    // floats: the bits above the lowest 24 bits, and the lowest 24 bits.
    const auto high_low = [](std::int64_t number) {
      return std::vector<float>{static_cast<float>(number >> 24), static_cast<float>(number & 0xFFFFFF)};
    };
    all.push_back({"optimizer/steps", {2}, high_low(steps_)});
    all.push_back({"optimizer/updates", {2}, high_low(updates_)});
    const std::string& network = model_->info().network;
    std::vector<float> bytes(network.size());
    std::ranges::transform(network, bytes.begin(),
                           [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)); });
    if (!bytes.empty()) all.push_back({kNetworkTensor, {std::ssize(bytes)}, std::move(bytes)});
    return all;
  }

  void save(const std::string& path) const {
    write_safetensors(path, model_->info().tensors, weights(), model_->info().network);
  }

  void load_state(const NamedTensors& tensors) {
    AlignedFloats loaded = from_canonical(gathered("", tensors));
    std::array<AlignedFloats, kMostStateVectors> state;
    for (int vector = 0; vector < rules_.state_vectors(); ++vector) {
      const AlignedFloats whole = from_canonical(gathered(rules_.state_name(vector) + '/', tensors));
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(part_ * static_cast<std::size_t>(group_.rank()));
      state[static_cast<std::size_t>(vector)].assign(begin, begin + static_cast<std::ptrdiff_t>(part_));
    }
    const auto number = [&](const char* name) {
      const std::span<const float> halves = values_of(name, {2}, tensors);
      return (static_cast<std::int64_t>(halves[0]) << 24) + static_cast<std::int64_t>(halves[1]);
    };
    steps_ = number("optimizer/steps");
    updates_ = number("optimizer/updates");
    weights_ = std::move(loaded);
    state_ = std::move(state);
  }

 private:
  /// Checks that the calling process is the process that made the group. Called before any computation of a step,
  /// because the step's first collective would report the error only after the gradient is computed.
  /// @throws Error unsupported in a child made by fork
  void check_owner() const {
    if (group_.size() > 1) group_.communicator()->owner().check("this optimizer");
  }
  std::size_t size() const { return model_->info().size; }
  std::size_t floats() const { return total_size(model_->info().tensors); }
  std::span<float> flat(AlignedFloats& vector) const { return std::span(vector).first(size()); }
  std::span<const float> flat(const AlignedFloats& vector) const { return std::span(vector).first(size()); }
  /// Returns the floats of the flat vector that belong to a rank's part, as a range without the padding.
  Range range_of(int rank) const {
    const std::size_t begin = part_ * static_cast<std::size_t>(rank);
    return {std::min(begin, size()), std::min(begin + part_, size())};
  }
  Range own_range() const { return range_of(group_.rank()); }

  void check_alike() {
    const ModelInfo& info = model_->info();
    const std::string text =
        info.fingerprint + ' ' + std::to_string(info.size) + ' ' + std::to_string(info.learned_size);
    const auto own = static_cast<std::int64_t>(checksum(std::as_bytes(std::span(text))) >> 1);
    if (group_.all_reduce(own, ReduceOp::max) == own && -group_.all_reduce(-own, ReduceOp::max) == own) return;
    throw Error(ErrorCode::model_mismatch, "ranks have models that differ in size or layout: " + text);
  }

  /// Adds the gradients of all ranks, divides by `samples`, and stores this rank's part of the mean gradient in
  /// `mean_`. Clips the mean gradient if the options require it.
  /// @param samples the number of samples of all ranks together
  void reduce(std::int64_t samples) {
    group_.reduce_scatter(std::span<const float>(gradient_), std::span<float>(mean_));
    divide(mean_.data(), mean_.size(), samples);
    if (!rules_.clips()) return;
    const float factor = rules_.clip_factor(norm());
    const Range own = own_range();
    const std::size_t learned =
        std::min(own.end, model_->info().learned_size) - std::min(own.begin, model_->info().learned_size);
    if (factor != 1) scale(factor, mean_.data(), learned, mean_.data());
  }

  /// Returns the L2 norm of the whole mean gradient, of which each rank has a part. Every rank must call this function,
  /// and gets the same value.
  double norm() {
    const std::size_t learned = model_->info().learned_size;
    std::vector<Range> slices;
    slices.reserve(static_cast<std::size_t>(group_.size()));
    for (int rank = 0; rank < group_.size(); ++rank) slices.push_back(range_of(rank));
    const Range own = own_range();
    PageSquares squares(own, learned);
    for_each_chunk(own, [&](const Range& chunk) {
      squares.note(chunk.begin, std::span(mean_).subspan(chunk.begin - own.begin, chunk.size()));
    });
    std::vector<double> subtrees = subtree_sums(size(), own, squares.pages());
    subtrees.resize(kMostSubtrees);
    std::vector<double> gathered(kMostSubtrees * slices.size());
    group_.all_gather(std::span<const double>(subtrees), std::span<double>(gathered));
    std::vector<double> sums;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto from = gathered.begin() + static_cast<std::ptrdiff_t>(i * kMostSubtrees);
      sums.insert(sums.end(), from, from + std::ssize(page_subtrees(size(), slices[i])));
    }
    return std::sqrt(sum_of_subtrees(size(), slices, sums));
  }

  /// Updates this rank's part of the weights with the mean gradient in `mean_`. Writes the new weights to `updated_`,
  /// and the optimizer's new vectors to `new_state_`.
  /// @throws Error non_finite_weights on all ranks if new weights on any rank contain NaN or infinity
  void update(const GroupStep& step) {
    const Range own = own_range();
    VectorUpdate::Place place;
    place.begin = own.begin;
    place.weights = flat(std::as_const(weights_));
    place.new_weights = updated_;
    for (std::size_t vector = 0; vector < static_cast<std::size_t>(rules_.state_vectors()); ++vector) {
      place.state[vector] = state_[vector];
      place.new_state[vector] = new_state_[vector];
    }
    VectorUpdate update(*model_, rules_.prepare({step.learning_rate, steps_, updates_}), runs_, step.samples, place);
    const std::size_t learned = model_->info().learned_size;
    for_each_chunk(own, [&](const Range& chunk) {
      const auto mean = std::span<const float>(mean_).subspan(chunk.begin - own.begin, chunk.size());
      const std::size_t first = std::min(chunk.size(), learned - std::min(learned, chunk.begin));
      if (first > 0) update.learn(chunk.begin, mean.first(first));
      if (first < mean.size()) update.update_statistics(chunk.begin + first, mean.subspan(first));
    });
    if (group_.all_reduce<std::int64_t>(update.finite() ? 0 : 1) > 0)
      throw Error(ErrorCode::non_finite_weights, "the new weights would not be finite", {.step = step.step});
  }

  AlignedFloats from_canonical(std::span<const float> values) const {
    if (values.size() != floats())
      throw Error(ErrorCode::model_mismatch,
                  std::to_string(values.size()) + " weights for a model of " + std::to_string(floats()));
    const AlignedFloats aligned(values.begin(), values.end());
    AlignedFloats vector(weights_.size());
    model_->from_canonical(aligned, flat(vector));
    return vector;
  }

  NamedTensors named(const std::string& prefix, const std::vector<float>& values) const {
    NamedTensors tensors;
    auto from = values.begin();
    for (const TensorInfo& info : model_->info().tensors) {
      const auto end = from + static_cast<std::ptrdiff_t>(info.size());
      tensors.push_back({prefix + info.name, info.shape, {from, end}});
      from = end;
    }
    return tensors;
  }

  static std::span<const float> values_of(const std::string& name, const std::vector<std::int64_t>& shape,
                                          const NamedTensors& tensors) {
    const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
    if (found != tensors.end() && found->shape == shape && found->values.size() == TensorInfo{name, shape}.size())
      return found->values;
    throw Error(ErrorCode::model_mismatch, found == tensors.end() ? "is missing" : "has a different shape",
                {.object = name});
  }

  std::vector<float> gathered(const std::string& prefix, const NamedTensors& tensors) const {
    std::vector<float> values;
    for (const TensorInfo& info : model_->info().tensors) {
      const std::span<const float> each = values_of(prefix + info.name, info.shape, tensors);
      values.insert(values.end(), each.begin(), each.end());
    }
    return values;
  }

  std::shared_ptr<Model> model_;
  Group group_;
  UpdateRules rules_;
  GroupRuns runs_;
  std::uint64_t seed_;
  std::size_t part_;        ///< number of floats in each rank's part of a vector; a whole vector contains the parts of
                            ///< all ranks
  AlignedFloats weights_;   ///< a whole vector
  AlignedFloats gradient_;  ///< a whole vector: the gradient of this rank's samples
  AlignedFloats mean_;      ///< this rank's part of the mean gradient; the next three members also contain only this
                            ///< rank's part
  AlignedFloats updated_;
  std::array<AlignedFloats, kMostStateVectors> state_;
  std::array<AlignedFloats, kMostStateVectors> new_state_;
  std::int64_t steps_ = 0;
  std::int64_t updates_ = 0;
};

GroupSGD::GroupSGD(std::shared_ptr<Model> model, Group group, const Optimizer& optimizer,
                   const GroupSgdOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(group), optimizer, options.clip_norm,
                                   options.seed.value_or(here().seed()))) {}
GroupSGD::~GroupSGD() = default;
GroupSGD::GroupSGD(GroupSGD&&) noexcept = default;
GroupSGD& GroupSGD::operator=(GroupSGD&&) noexcept = default;

GroupStep GroupSGD::step() { return impl_->step(impl_->steps_done()); }
GroupStep GroupSGD::step(std::int64_t batch) { return impl_->step(batch); }
std::int64_t GroupSGD::steps_done() const { return impl_->steps_done(); }
std::int64_t GroupSGD::steps_per_epoch() const { return impl_->model().info().steps_per_epoch; }
Evaluation GroupSGD::evaluate(EvaluationSet set) { return impl_->evaluate(set); }
std::vector<float> GroupSGD::weights() const { return impl_->weights(); }
void GroupSGD::set_weights(std::span<const float> canonical) { impl_->set_weights(canonical); }
NamedTensors GroupSGD::state() const { return impl_->state(); }
void GroupSGD::save(const std::string& path) const { impl_->save(path); }
void GroupSGD::load_state(const NamedTensors& tensors) { impl_->load_state(tensors); }

}  // namespace troupe
