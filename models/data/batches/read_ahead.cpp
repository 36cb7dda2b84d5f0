#include "models/data/batches/read_ahead.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/piecework.hpp"

namespace troupe {
namespace {

/// The number of samples in a piece of a batch. A thread fills one piece at a time.
constexpr std::size_t kPieceSamples = 8;

}  // namespace

/// An expected batch, which is being filled or is filled.
class ReadAhead::Slot final : public Pieces {
 public:
  Slot(Key key, std::shared_ptr<const DataSource> from, BatchMemory memory, std::span<const std::int64_t> samples,
       std::optional<DrawnFor> drawn)
      : Pieces(samples.size(), kPieceSamples),
        key_(key),
        from_(std::move(from)),
        memory_(std::move(memory)),
        request_(memory_.prepare(from_->info(), samples, drawn)) {}

  const Key& key() const { return key_; }
  std::size_t bytes() const { return request_.values.size_bytes() + request_.labels.size_bytes(); }

  /// Returns the batch if it is filled without errors. Returns an empty batch if it is not filled, or if samples of the
  /// data may be unreadable (DataInfo::lacks).
  Batch peek() const { return is_done() && request_.holes.empty() ? memory_.batch() : Batch{}; }

  Batch wait() {
    finish();
    return memory_.filled();
  }

  /// Returns the memory of the batch, so that another batch can use it. The caller must make sure that no thread still
  /// fills or reads the batch.
  BatchMemory take_memory() { return std::move(memory_); }

 private:
  void work(std::size_t begin, std::size_t end) override { from_->fill(piece(begin, end - begin)); }

  BatchRequest piece(std::size_t begin, std::size_t count) const {
    const auto part = [&](auto floats) {
      const std::size_t each = floats.size() / request_.samples.size();
      return floats.subspan(begin * each, count * each);
    };
    return {.samples = request_.samples.subspan(begin, count),
            .values = part(request_.values),
            .labels = part(request_.labels),
            .targets = part(request_.targets),
            .drawn = request_.drawn,
            .holes = part(request_.holes)};
  }

  Key key_;
  std::shared_ptr<const DataSource> from_;
  BatchMemory memory_;
  BatchRequest request_;
};

ReadAhead::ReadAhead(std::shared_ptr<const DataSource> from, std::size_t most_bytes)
    : from_(std::move(from)), most_bytes_(most_bytes) {}

ReadAhead::~ReadAhead() {
  begin_anew_after_fork();
  for (const auto& slot : expected_) slot->stop();
}

/// If this process is a forked child of the process that made this object, drops the expected batches without
/// destroying them. The threads that fill these batches exist only in the parent process. Therefore the child must
/// neither wait for the batches nor destroy them, because their mutexes may stay locked.
void ReadAhead::begin_anew_after_fork() {
  if (owner_.is_this()) return;
  owner_ = {};
  if (taken_) expected_.push_back(std::move(taken_));
  static_cast<void>(std::make_unique<std::vector<std::shared_ptr<Slot>>>(std::exchange(expected_, {})).release());
}

bool ReadAhead::expects(const Key& key) {
  begin_anew_after_fork();
  return std::ranges::any_of(expected_, [&](const auto& slot) { return slot->key() == key; });
}

void ReadAhead::give_back(Slot& slot) { spares_.push_back(slot.take_memory()); }

void ReadAhead::need(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn) {
  begin_anew_after_fork();
  if (samples.empty() || expects(key)) return;
  BatchMemory memory(Pages::lockable);
  if (!spares_.empty()) {
    memory = std::move(spares_.back());
    spares_.pop_back();
  }
  expected_.push_back(std::make_shared<Slot>(key, from_, std::move(memory), samples, drawn));
  share_out(expected_.back());
}

void ReadAhead::expect(const Key& key, std::span<const std::int64_t> samples, std::optional<DrawnFor> drawn) {
  const DataInfo& info = from_->info();
  std::size_t bytes = samples.size() * static_cast<std::size_t>(info.sample_size()) * sizeof(float) +
                      info.num_labels(samples.size()) * sizeof(std::int32_t);
  for (const auto& slot : expected_) bytes += slot->bytes();
  if (bytes <= most_bytes_) need(key, samples, drawn);
}

Batch ReadAhead::take(const Key& key) {
  begin_anew_after_fork();
  const auto found = std::ranges::find(expected_, key, [](const auto& slot) { return slot->key(); });
  if (found == expected_.end()) return {};
  if (taken_) give_back(*taken_);
  taken_ = *found;
  expected_.erase(found);
  return taken_->wait();
}

Batch ReadAhead::peek() const {
  const auto next = std::ranges::min_element(expected_, {}, [](const auto& slot) { return slot->key().number; });
  return next == expected_.end() || !owner_.is_this() ? Batch{} : (*next)->peek();
}

void ReadAhead::forget(int shard) {
  begin_anew_after_fork();
  std::erase_if(expected_, [&](const auto& slot) {
    const bool forgotten = slot->key().shard == shard;
    if (forgotten) {
      slot->stop();
      give_back(*slot);
    }
    return forgotten;
  });
}

}  // namespace troupe
