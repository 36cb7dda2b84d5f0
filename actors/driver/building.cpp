#include "actors/driver/building.hpp"

#include <algorithm>
#include <utility>

#include "actors/driver/option_checks.hpp"
#include "actors/messages/build.hpp"
#include "actors/messages/options_json.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "models/optimizers/groups.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

ModelDescription description_of(const Built& built) {
  ModelDescription model{built.replicas.at(0), {}, built.network};
  for (std::size_t i = 0; i < built.tensor_names.size(); ++i)
    model.tensors.push_back({built.tensor_names[i], built.tensor_shapes[i]});
  return model;
}

void check_built(const Built& built, const Options& options, const ModelDescription& model, const Where& where) {
  for (std::size_t device = 0; device < built.replicas.size(); ++device)
    check_alike(built.replicas[device], static_cast<int>(device), model.traits, where);
  // What is used is what was compared: the sum of the tensors that this worker names is its replicas' own.
  if (checksum_of(description_of(built).tensors) != model.traits.tensors)
    throw Error(ErrorCode::protocol, "a worker's tensors are not those of its replicas", where);
  if (built.network != model.network)
    throw Error(
        ErrorCode::model_mismatch,
        "worker " + std::to_string(where.worker) + "'s replica says another network, or other data, than worker 0's",
        where);
  const std::int64_t samples = model.traits.num_samples;
  if (samples > 0 && samples < options.num_shards)
    throw_invalid(std::to_string(options.num_shards) + " shards are more than the " + std::to_string(samples) +
                  " training samples; each needs one");
}

/// Has workers build their replicas, in a round of requests that differ in who they are for.
class Building {
 public:
  Building(const ModelCreator& creator, const Options& options, const BuiltFor& built_for, Members& members,
           Rounds& rounds, const Phase& phase)
      : members_(members), rounds_(rounds), phase_(phase) {
    request_.devices = options.devices_per_worker;
    request_.use_cpus = options.use_cpus;
    request_.accelerator = options.accelerator;
    request_.tf32 = options.tf32;
    request_.backs_up = options.backup_workers > 0 && members.num_workers() > 1;
    request_.plan = plan_request_of(options, members.topology());
    request_.seed = options.seed;
    request_.model = creator.name();
    request_.config = options.config;
    request_.data_memory = options.data_memory;
    request_.all_shards = built_for.all_shards;
    request_.frozen = built_for.frozen;
    request_.hears = built_for.hears;
    request_.optimizer = to_json(options.optimizer);
  }

  /// What they have built, checked each by itself.
  std::vector<From<Built>> build(const std::vector<int>& workers, const PrecisionDecision& precision) {
    request_.precision = static_cast<std::int32_t>(precision.wanted());
    request_.precision_check = precision.is_open();
    std::vector<std::pair<int, Build>> requests;
    for (const int worker : workers) {
      request_.first_lane = static_cast<std::int32_t>(members_.lanes_of(worker).begin);
      requests.emplace_back(worker, request_);
    }
    std::vector<From<Built>> replies = rounds_.ask_each(requests, phase_);
    for (const auto& [worker, built] : replies) check_reply(built, request_.devices, rounds_.where(worker, phase_));
    return replies;
  }

 private:
  Members& members_;
  Rounds& rounds_;
  const Phase& phase_;
  Build request_;
};

void decide(PrecisionDecision& precision, const std::vector<From<Built>>& replies) {
  std::vector<ReplicaTraits> replicas;
  for (const auto& [worker, built] : replies)
    replicas.insert(replicas.end(), built.replicas.begin(), built.replicas.end());
  precision.decide(replicas);
}

bool computes_in(const Built& built, Precision precision) {
  const auto does = [&](const ReplicaTraits& replica) {
    return static_cast<Precision>(replica.precision) == precision;
  };
  return std::ranges::all_of(built.replicas, does);
}

/// Who computes in another precision than was decided builds once more.
void build_again(Building& building, const PrecisionDecision& precision, std::vector<From<Built>>& replies) {
  std::vector<int> others;
  for (const auto& [worker, built] : replies)
    if (!computes_in(built, precision.wanted())) others.push_back(worker);
  if (others.empty()) return;
  for (From<Built>& again : building.build(others, precision))
    std::ranges::find(replies, again.member, &From<Built>::member)->reply = std::move(again.reply);
}

}  // namespace

BuiltFor built_for_algorithm(const Options& options) {
  const bool lbfgs = options.algorithm == "lbfgs";
  return {lbfgs, lbfgs && options.lbfgs.freeze, lbfgs || options.algorithm == "local"};
}

void build_replicas(const ModelCreator& creator, const Options& options, const BuiltFor& built_for, Members& members,
                    Rounds& rounds, PrecisionDecision& precision, std::optional<ModelDescription>& model,
                    const Phase& phase) {
  Building building(creator, options, built_for, members, rounds, phase);
  std::vector<From<Built>> replies = building.build(members.unbuilt_workers(), precision);
  if (precision.is_open()) {
    decide(precision, replies);
    build_again(building, precision, replies);
  }
  for (const auto& [worker, built] : replies) {
    if (!model) model = description_of(built);
    if (!built_for.frozen) model->traits.unsteady = built.replicas.front().unsteady;
    check_built(built, options, *model, rounds.where(worker, phase));
    groups_of(options.optimizer.groups, model->tensors);
    members.build(worker);
  }
}

}  // namespace troupe
