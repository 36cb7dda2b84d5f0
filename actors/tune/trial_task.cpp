#include "actors/tune/trial_task.hpp"

#include <chrono>
#include <utility>

#include "models/files/strict_json.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {

NLOHMANN_JSON_SERIALIZE_ENUM(Placement, {{Placement::in_process, "in_process"}, {Placement::processes, "processes"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Aggregate, {{Aggregate::mean, "mean"},
                                         {Aggregate::sum, "sum"},
                                         {Aggregate::max, "max"},
                                         {Aggregate::all, "all"},
                                         {Aggregate::first, "first"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerCount, min, max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReportOptions, aggregate, metrics, every, first_rank_only)

}  // namespace troupe

namespace troupe::tune {
namespace {

using std::chrono::milliseconds;

constexpr int kDeepestTask = 104;  ///< a config may have 100 levels of nesting, and the task adds levels

Json workers_json(const TrainerOptions& o) {
  return {{"num_workers", o.num_workers},
          {"cpus_per_worker", o.cpus_per_worker},
          {"gpus_per_worker", o.gpus_per_worker},
          {"placement", o.placement},
          {"backend", o.backend},
          {"seed", o.seed},
          {"start_timeout", o.timeouts.start.count()},
          {"collective_timeout", o.timeouts.collective.count()},
          {"stop_timeout", o.timeouts.stop.count()},
          {"suspect_after", o.fault_tolerance.suspect_after.count()},
          {"cut_after", o.fault_tolerance.cut_after.count()},
          {"max_failures", o.fault_tolerance.max_failures},
          {"store_bytes", o.memory.store_bytes},
          {"data_memory", o.memory.data_bytes}};
}

TrainerOptions workers_from(const Json& json) {
  TrainerOptions o;
  const auto time = [&json](const char* name) { return milliseconds(json.at(name).get<std::int64_t>()); };
  json.at("num_workers").get_to(o.num_workers);
  json.at("cpus_per_worker").get_to(o.cpus_per_worker);
  json.at("gpus_per_worker").get_to(o.gpus_per_worker);
  json.at("placement").get_to(o.placement);
  json.at("backend").get_to(o.backend);
  json.at("seed").get_to(o.seed);
  o.timeouts.start = time("start_timeout");
  o.timeouts.collective = time("collective_timeout");
  o.timeouts.stop = time("stop_timeout");
  o.fault_tolerance.suspect_after = time("suspect_after");
  o.fault_tolerance.cut_after = time("cut_after");
  json.at("max_failures").get_to(o.fault_tolerance.max_failures);
  json.at("store_bytes").get_to(o.memory.store_bytes);
  json.at("data_memory").get_to(o.memory.data_bytes);
  return o;
}

/// Returns the value in `config` at `key`, such as "optimizer.lr"; null if there is no value at this key.
Json value_at(const Json& config, const std::string& key) {
  if (config.contains(key)) return config[key];
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos || !config.contains(key.substr(0, dot))) return nullptr;
  const Json& below = config[key.substr(0, dot)];
  return below.is_object() ? value_at(below, key.substr(dot + 1)) : Json();
}

std::vector<std::string> names_of(const RunDatasets& datasets) {
  std::vector<std::string> names;
  for (const RunData& each : datasets.all()) names.push_back(each.name());
  return names;
}

/// Returns `dataset`, the name of a data set, with each {KEY} in the name replaced by the value at that key in
/// `config`.
std::string dataset_of(const std::string& dataset, const Json& config) {
  std::string made;
  std::size_t done = 0;
  for (std::size_t open = dataset.find('{'); open != std::string::npos; open = dataset.find('{', done)) {
    const std::size_t close = dataset.find('}', open);
    if (close == std::string::npos) break;
    const std::string key = dataset.substr(open + 1, close - open - 1);
    if (key.find("..") == std::string::npos) {  // {0..9} in a name is a range of archives, not a key
      const Json value = value_at(config, key);
      if (value.is_null() || value.is_structured())
        throw_invalid("the data '" + printable(dataset) + "' requires {" + printable(key) +
                      "}, but the trial's config has no such value");
      made += dataset.substr(done, open - done) + (value.is_string() ? value.get<std::string>() : value.dump());
    } else {
      made += dataset.substr(done, close + 1 - done);
    }
    done = close + 1;
  }
  return made + dataset.substr(done);
}

}  // namespace

Json to_json(const TrialTask& task) {
  const Trainable& t = task.trainable;
  return {{"function", t.function},         {"workers", workers_json(t.workers)},
          {"dataset", names_of(t.dataset)}, {"reports", t.reports},
          {"config", task.config},          {"keep_checkpoints", t.keep_checkpoints},
          {"memory", task.memory},          {"most_reports", task.most_reports}};
}

TrialTask task_from_json(const Json& json, const std::string& path) {
  TrialTask task;
  try {
    json.at("function").get_to(task.trainable.function);
    task.trainable.workers = workers_from(json.at("workers"));
    task.trainable.dataset = json.at("dataset").get<std::vector<std::string>>();
    json.at("reports").get_to(task.trainable.reports);
    json.at("keep_checkpoints").get_to(task.trainable.keep_checkpoints);
    task.config = json.at("config");
    json.at("memory").get_to(task.memory);
    json.at("most_reports").get_to(task.most_reports);
  } catch (const Json::exception& error) {
    throw_bad_file(path, std::string("is not a valid trial: ") + error.what());
  }
  return task;
}

RunDatasets datasets_of(const RunDatasets& datasets, const Json& config) {
  std::vector<std::string> names;
  for (const RunData& each : datasets.all()) names.push_back(dataset_of(each.name(), config));
  return names;
}

Json read_json(const std::string& path) {
  return parse_strictly(path, "it", InputFile(path).read_text(kMostText), kDeepestTask);
}

void write_json(const std::string& path, const Json& json) {
  const std::string text = json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + '\n';
  OutputFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace troupe::tune
