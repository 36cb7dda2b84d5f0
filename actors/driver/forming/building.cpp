#include "actors/driver/forming/building.hpp"

#include <algorithm>
#include <functional>
#include <set>
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

/// Checks that the tensors in a worker's reply have the checksum that its replicas report. This is necessary because
/// later only the checksums of workers are compared.
void check_named_tensors(const Built& built, const Where& where) {
  if (checksum_of(description_of(built).tensors) != built.replicas.front().tensors)
    throw Error(ErrorCode::protocol, "the worker's tensors differ from those of its replicas", where);
}

/// A worker's description of its model. Two descriptions are compared by their traits, which contain a checksum of the
/// tensors, and by the text about the network.
struct Told {
  int worker = 0;
  const ReplicaTraits& traits;
  const std::string& network;
};
Told told_by(const From<Built>& from) { return {from.member, from.reply.replicas.front(), from.reply.network}; }

std::string difference(const Told& told, const Told& other) {
  std::string how = difference(NamedReplica{told.worker, 0, told.traits}, NamedReplica{other.worker, 0, other.traits});
  if (!how.empty() || told.network == other.network) return how;
  return "worker " + std::to_string(told.worker) + "'s replica describes another network or other data than worker " +
         std::to_string(other.worker) + "'s";
}

/// One of the models that workers have described: the first reply that describes it, and the nodes of all workers that
/// describe it. If the run has no nodes, all workers count as one node.
struct Vote {
  const From<Built>* first = nullptr;
  std::set<int> nodes;
};

std::vector<Vote> votes_of(const std::vector<From<Built>>& replies, const Members& members) {
  std::vector<Vote> votes;
  for (const From<Built>& from : replies) {
    const auto is_same = [&](const Vote& vote) { return difference(told_by(from), told_by(*vote.first)).empty(); };
    auto same = std::ranges::find_if(votes, is_same);
    if (same == votes.end()) same = votes.insert(same, {&from, {}});
    same->nodes.insert(members.num_nodes() > 0 ? members.node_of(from.member) : 0);
  }
  return votes;
}

/// Returns the description of the model, if all workers have described the same model.
/// @throws Error model_mismatch if the models differ. In a cluster, the error names a worker whose model differs from
/// the model of most nodes. If the two most frequent models have equally many nodes, the error names no worker. On one
/// machine, the error names a worker whose model differs from the first worker's.
ModelDescription agreed_model(const std::vector<From<Built>>& replies, const Members& members, const Rounds& rounds,
                              const Phase& phase) {
  std::vector<Vote> votes = votes_of(replies, members);
  std::ranges::stable_sort(votes, std::greater(), [](const Vote& vote) { return vote.nodes.size(); });
  if (votes.size() == 1) return description_of(votes.front().first->reply);
  const bool clear = members.num_nodes() == 0 || votes[0].nodes.size() > votes[1].nodes.size();
  throw Error(ErrorCode::model_mismatch, difference(told_by(*votes[1].first), told_by(*votes[0].first)),
              clear ? rounds.where(votes[1].first->member, phase) : Where{.phase = phase.name, .step = phase.step});
}

void check_built(const From<Built>& from, const ModelDescription& model, const Where& where) {
  const auto& [worker, built] = from;
  std::string how = difference(told_by(from), Told{0, model.traits, model.network});
  for (std::size_t device = 1; how.empty() && device < built.replicas.size(); ++device)
    how = difference(NamedReplica{worker, static_cast<int>(device), built.replicas[device]},
                     NamedReplica{0, 0, model.traits});
  if (!how.empty()) throw Error(ErrorCode::model_mismatch, how, where);
}

void check_samples(const ModelDescription& model, const Options& options) {
  const std::int64_t samples = model.traits.num_samples;
  if (samples > 0 && samples < options.num_shards)
    throw_invalid(std::to_string(options.num_shards) + " shards are too many for the " + std::to_string(samples) +
                  " training samples: each shard needs at least one");
}

/// Returns whether the configuration of a built-in model names data on a server.
bool reads_from_server(const std::string& config) {
  return std::ranges::any_of(std::initializer_list<const char*>{"http://", "https://", "s3://"},
                             [&](const char* scheme) { return config.find(scheme) != std::string::npos; });
}

/// Requests workers to build their replicas, in one round with a separate request for each worker.
class Building {
 public:
  Building(const ModelCreator& creator, const Options& options, const BuiltFor& built_for, Members& members,
           Rounds& rounds, const Phase& phase)
      : members_(members), rounds_(rounds), phase_(phase) {
    request_.devices = options.compute.devices_per_worker;
    request_.use_cpus = options.compute.device == Device::cpu;
    request_.device_number = options.compute.device_number;
    request_.tf32 = options.compute.tf32;
    request_.backs_up = options.fault_tolerance.backup_workers > 0 && members.num_workers() > 1;
    request_.plan = plan_request_of(options, members.topology());
    request_.seed = options.seed;
    request_.model = creator.name();
    request_.config = options.config;
    request_.data_memory = options.memory.data_bytes;
    request_.all_shards = built_for.all_shards;
    request_.frozen = built_for.frozen;
    request_.hears = built_for.hears;
    request_.optimizer = to_json(settings_of(options));
  }

  /// Requests `workers` to build their replicas. Returns their replies, each of which has passed `check_reply`.
  std::vector<From<Built>> build(const std::vector<int>& workers, const PrecisionDecision& precision) {
    request_.precision = static_cast<std::int32_t>(precision.wanted());
    request_.precision_check = precision.is_open();
    std::vector<std::pair<int, Build>> requests;
    for (const int worker : workers) {
      request_.first_lane = static_cast<std::int32_t>(members_.lanes_of(worker).begin);
      requests.emplace_back(worker, request_);
    }
    std::vector<From<Built>> replies = ask(requests);
    for (const auto& [worker, built] : replies) check_reply(built, request_.devices, rounds_.where(worker, phase_));
    return replies;
  }

 private:
  /// Sends the requests and waits for the replies. If the data is on a server, the error of a timeout contains advice.
  std::vector<From<Built>> ask(const std::vector<std::pair<int, Build>>& requests) {
    try {
      return rounds_.ask_each(requests, phase_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::timeout || !reads_from_server(request_.config)) throw;
      throw Error(error.code(),
                  error.message() +
                      "; if it makes the index of data on a server, make it before with `troupe data show`, "
                      "or set timeouts.start (--start-timeout)",
                  error.where());
    }
  }

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

/// Requests each worker whose replicas compute in another precision than the decided one to build them again, and
/// replaces its reply.
void build_again(Building& building, const PrecisionDecision& precision, std::vector<From<Built>>& replies) {
  std::vector<int> others;
  for (const auto& [worker, built] : replies)
    if (!computes_in(built, precision.wanted())) others.push_back(worker);
  if (others.empty()) return;
  for (From<Built>& again : building.build(others, precision))
    std::ranges::find(replies, again.member, &From<Built>::member)->reply = std::move(again.reply);
}

}  // namespace

void build_replicas(const std::vector<int>& workers, const ModelCreator& creator, const Options& options,
                    const BuiltFor& built_for, Members& members, Rounds& rounds, PrecisionDecision& precision,
                    std::optional<ModelDescription>& model, const Phase& phase) {
  Building building(creator, options, built_for, members, rounds, phase);
  std::vector<From<Built>> replies = building.build(workers, precision);
  if (precision.is_open()) {
    decide(precision, replies);
    build_again(building, precision, replies);
  }
  for (const auto& [worker, built] : replies) check_named_tensors(built, rounds.where(worker, phase));
  if (!model && !replies.empty()) model = agreed_model(replies, members, rounds, phase);
  for (const From<Built>& from : replies) {
    check_built(from, *model, rounds.where(from.member, phase));
    if (!built_for.frozen) model->traits.batch_dependent = from.reply.replicas.front().batch_dependent;
    check_samples(*model, options);
    groups_of(settings_of(options).groups, model->tensors);
    members.build(from.member);
  }
}

}  // namespace troupe
