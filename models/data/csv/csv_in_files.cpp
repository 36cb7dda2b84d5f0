#include <algorithm>
#include <optional>
#include <utility>

#include "models/data/csv/csv_samples.hpp"
#include "models/data/remote_blocks.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The number of bytes to read from a file at a time, to find one row. Longer rows need several reads.
constexpr std::size_t kRowPiece = 4096;

class CsvInFiles final : public DataSource {
 public:
  CsvInFiles(CsvRows rows, std::vector<CsvColumn> columns, CsvArguments asked, CsvSamples samples, DataInfo info)
      : DataSource(std::move(info)),
        rows_(std::move(rows)),
        columns_(std::move(columns)),
        asked_(std::move(asked)),
        samples_(std::move(samples)) {}

  std::span<const std::int32_t> known_labels() const override { return rows_.labels; }

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    const auto offset = [this](std::int64_t sample) { return rows_.offsets[static_cast<std::size_t>(sample)]; };
    for (const std::int64_t sample : used) file_of(sample).file->release(offset(sample));
    for (const std::int64_t sample : coming) file_of(sample).file->prefetch(offset(sample), 1);
  }

 private:
  const CsvRows::File& file_of(std::int64_t sample) const noexcept {
    return *std::ranges::upper_bound(rows_.files, sample, {}, &CsvRows::File::end);
  }

  void read(const BatchRequest& request) const override {
    Readers readers(*this);
    const auto targets = static_cast<std::size_t>(info().num_targets);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const std::int64_t sample = request.samples[i];
      const CsvRow& row = readers.row(sample);
      samples_.write(row.features(), request.values.subspan(i * samples_.sample_size(), samples_.sample_size()));
      if (!request.labels.empty()) request.labels[i] = row.label();
      std::ranges::copy(row.targets(), request.targets.begin() + static_cast<std::ptrdiff_t>(i * targets));
    }
    for (const CsvRows::File& file : rows_.files) file.file->check_unchanged();
  }

  /// The readers of all files for one call of `read`. Each call makes its own readers, because several threads may call
  /// `read` at the same time.
  class Readers {
   public:
    explicit Readers(const CsvInFiles& all)
        : all_(all),
          readers_(all.rows_.files.size()),
          row_(all.columns_, all.asked_,
               [&all](std::size_t index, std::string_view text) { return all.columns_[index].categories.find(text); }) {
    }

    const CsvRow& row(std::int64_t sample) {
      const CsvRows::File& file = all_.file_of(sample);
      auto& reader = readers_[static_cast<std::size_t>(&file - all_.rows_.files.data())];
      if (!reader) reader.emplace(file.file, file.separator, kRowPiece);
      reader->seek(all_.rows_.offsets[static_cast<std::size_t>(sample)]);
      try {
        if (!reader->next() || !row_.parse(*reader))
          throw_bad_file(reader->path(), "a row is missing: the file has changed");
      } catch (const Error&) {
        file.file->check_unchanged();  // if the file has changed, throws an error that says so instead of this one
        throw;
      }
      return row_;
    }

   private:
    const CsvInFiles& all_;
    std::vector<std::optional<CsvReader>> readers_;
    CsvRow row_;
  };

  CsvRows rows_;
  std::vector<CsvColumn> columns_;
  CsvArguments asked_;
  CsvSamples samples_;
};

}  // namespace

std::shared_ptr<const DataSource> csv_in_files(CsvRows rows, std::vector<CsvColumn> columns, const CsvArguments& asked,
                                               const CsvSamples& samples, DataInfo info) {
  info.slow = true;
  const bool has_blocks =
      std::ranges::any_of(rows.files, [](const CsvRows::File& file) { return file.file->block_size() > 0; });
  std::int64_t first = 0;
  if (has_blocks)
    for (const CsvRows::File& file : rows.files) {
      add_parts(info, *file.file, first, file.end - first,
                [&](std::int64_t row) { return rows.offsets[static_cast<std::size_t>(row)]; });
      first = file.end;
    }
  return std::make_shared<const CsvInFiles>(std::move(rows), std::move(columns), asked, samples, std::move(info));
}

}  // namespace troupe
