#include <algorithm>
#include <numeric>

#include "actors/driver/driver_rounds.hpp"
#include "actors/driver/reply_checks.hpp"
#include "collectives/plan/tree.hpp"

// What the driver does besides steps.
namespace troupe {

Wanted Driver::wanted(const Task& task, int worker) const {
  const bool each_replica = task.kind == TaskKind::model_function && !task.first_replica_only;
  if (each_replica) return {.texts = static_cast<std::size_t>(options_.devices_per_worker)};
  if (task.kind == TaskKind::model_function || task.kind == TaskKind::worker_function) return {.texts = 1};
  if (task.kind == TaskKind::evaluate) return {.shards = shards_of_worker(worker)};
  return {};
}

std::vector<TaskDone> Driver::run_task(Task task, const std::vector<int>& on, const char* phase,
                                       const Deadline& deadline) {
  task.buffer = buffer_;
  task.step = step_;
  auto replies = ask<TaskDone>(task, on, phase, deadline);
  for (const TaskDone& done : replies) check_reply(done, wanted(task, done.worker), where(done.worker, phase));
  return replies;
}

void Driver::read_weights(const ReadWeights& use) {
  settle();
  transfer([&] {
    const Deadline deadline(options_.step_timeout);
    const std::size_t floats = total_size(facts_->tensors);
    const Transfer canonical(*this, deadline);
    weights_->create(canonical.number, 0, floats, deadline);
    Task task;
    task.kind = TaskKind::export_weights;
    task.transfer = canonical.number;
    run_task(task, {0}, "weights", deadline);
    weights_->fetch(canonical.number, 0, floats, use, deadline);
  });
}

void Driver::set_weights(std::span<const float> values) {
  settle();
  if (values.size() != total_size(facts_->tensors))
    throw Error(ErrorCode::model_mismatch, std::to_string(values.size()) + " weights for a model of " +
                                               std::to_string(total_size(facts_->tensors)));
  transfer([&] {
    const Deadline deadline(options_.step_timeout);
    const Transfer canonical(*this, deadline);
    const Transfer flat(*this, deadline);
    weights_->put(canonical.number, values, deadline);
    weights_->create(flat.number, 0, facts_->traits.size, deadline);
    Task task;
    task.kind = TaskKind::import_weights;
    task.transfer = canonical.number;
    run_task(task, {0}, "set_weights", deadline);
    place_weights(flat, deadline);
  });
}

/// What fails on the driver's side of a transfer leaves the nodes' side unsettled, too.
void Driver::transfer(const std::function<void()>& work) try { work(); } catch (...) {
  settled_ = false;
  throw;
}

void Driver::place_weights(const Transfer& flat, const Deadline& deadline) {
  weights_->place(flat.number, 1 - buffer_, deadline);
  buffer_ = 1 - buffer_;
  updates_ = 0;
}

Evaluation Driver::evaluate() {
  settle();
  Task task;
  task.kind = TaskKind::evaluate;
  std::vector<double> losses(static_cast<std::size_t>(options_.num_shards));
  std::int64_t correct = 0;
  Evaluation evaluation;
  for (const TaskDone& done : run_task(task, all_workers(), "evaluate", Deadline(options_.step_timeout))) {
    for (std::size_t i = 0; i < done.shards.size(); ++i) {
      losses.at(static_cast<std::size_t>(done.shards[i])) = from_bits(done.loss_bits[i]);
      correct += done.correct[i];
      evaluation.samples += done.samples[i];
    }
  }
  if (evaluation.samples == 0) return evaluation;
  evaluation.loss = tree_sum(losses) / static_cast<double>(evaluation.samples);
  evaluation.accuracy = static_cast<double>(correct) / static_cast<double>(evaluation.samples);
  return evaluation;
}

std::vector<std::string> Driver::call(TaskKind kind, const std::string& name, bool first_only) {
  if (name.size() > kLongestText) throw Error(ErrorCode::invalid_argument, "the function's name is too long");
  settle();
  Task task;
  task.kind = kind;
  task.name = name;
  task.first_replica_only = first_only;
  const std::vector<int> on = first_only ? std::vector<int>{0} : all_workers();
  std::vector<std::string> texts;
  transfer([&] {
    const Deadline deadline(options_.step_timeout);
    for (const TaskDone& done : run_task(task, on, "call", deadline)) {
      std::vector<std::string> of_worker = fetch_texts(done, deadline);
      std::move(of_worker.begin(), of_worker.end(), std::back_inserter(texts));
    }
  });
  return texts;
}

std::vector<std::string> Driver::fetch_texts(const TaskDone& done, const Deadline& deadline) {
  const std::uint64_t bytes = std::accumulate(done.text_bytes.begin(), done.text_bytes.end(), std::uint64_t{0});
  std::vector<std::string> texts(done.text_bytes.size());
  if (bytes == 0) return texts;
  const std::size_t floats = (bytes + sizeof(float) - 1) / sizeof(float);  // what transfers are made of
  const Transfer text(*this, deadline, done.worker);
  weights_->create(text.number, done.worker, floats, deadline);
  Task task;
  task.kind = TaskKind::export_texts;
  task.transfer = text.number;
  run_task(task, {done.worker}, "call", deadline);
  const auto split = [&](std::span<const float> written) {
    const char* from = reinterpret_cast<const char*>(written.data());
    for (std::size_t i = 0; i < texts.size(); from += done.text_bytes[i++]) texts[i].assign(from, done.text_bytes[i]);
  };
  weights_->fetch(text.number, done.worker, floats, split, deadline);
  return texts;
}

}  // namespace troupe
