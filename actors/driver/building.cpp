#include "actors/driver/building.hpp"

#include "actors/driver/option_checks.hpp"
#include "actors/messages/build.hpp"
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
  const std::int64_t samples = model.traits.num_samples;
  if (samples > 0 && samples < options.num_shards)
    throw_invalid(std::to_string(options.num_shards) + " shards are more than the " + std::to_string(samples) +
                  " training samples; each needs one");
}

}  // namespace

void build_replicas(const ModelCreator& creator, const Options& options, Members& members, Rounds& rounds,
                    std::optional<ModelDescription>& model, const Phase& phase) {
  Build request;
  request.devices = options.devices_per_worker;
  request.use_cpus = options.use_cpus;
  request.backs_up = options.backup_workers > 0 && members.num_workers() > 1;
  request.plan = plan_request_of(options, members.topology());
  request.seed = options.seed;
  request.model = creator.name();
  request.precision = static_cast<std::int32_t>(options.precision);
  request.config = options.config;
  std::vector<std::pair<int, Build>> requests;
  for (const int worker : members.unbuilt_workers()) {
    request.first_lane = static_cast<std::int32_t>(members.lanes_of(worker).begin);
    requests.emplace_back(worker, request);
  }
  for (const auto& [worker, built] : rounds.ask_each(requests, phase)) {
    const Where where = rounds.where(worker, phase);
    check_reply(built, options.devices_per_worker, where);
    if (!model) model = description_of(built);
    check_built(built, options, *model, where);
    groups_of(options.optimizer.groups, model->tensors);
    members.build(worker);
  }
}

}  // namespace troupe
