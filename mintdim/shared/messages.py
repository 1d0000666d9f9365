"""Every text that an error can print, in English and Vietnamese.

``TEXTS`` holds one text per kind of error, without its first line (the class name).
``PHRASES`` holds the variable parts: problems and reasons. Placeholders are the public
attributes of the error, or the facts of the phrase.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mintdim.shared.language import current_language
from mintdim.shared.types import Language

Translated = dict[Language, str]


@dataclass(frozen=True)
class Phrase:
    """A reason or problem that is put into words only when it is printed.

    ``code`` names an entry of ``PHRASES``; ``facts`` fill its placeholders.
    """

    code: str
    facts: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return PHRASES[self.code][current_language()].format(**self.facts)


def phrase(code: str, /, **facts: object) -> Phrase:
    """Return the phrase ``code`` with its facts (any picklable values with a plain ``str``)."""
    return Phrase(code, facts)


def os_reason(error: OSError) -> Phrase:
    """Return what the operating system said."""
    return phrase("os_error", detail=error.strerror or str(error))


def error_text(key: str, facts: dict[str, str]) -> str:
    """Return the text ``key`` in the current language, its placeholders filled from ``facts``."""
    return TEXTS[key][current_language()].format(**facts)


_CONFIG_RULES: Translated = {
    "en": """\
- config must be a dict with key: path
- path must be a string
- unk_id and pad_id are loaded from the tokenizer library""",
    "vi": """\
- config phải là dict có key: path
- path phải là string
- unk_id và pad_id được lấy từ thư viện tokenizer""",
}

_PREPARE_RULES: Translated = {
    "en": """\
- path is a tokenizer.json or a SentencePiece model
- out is a path where nothing stands yet
- pad and unk are the text of an existing entry, or of a new one, which is appended""",
    "vi": """\
- path là tokenizer.json hoặc model SentencePiece
- out là đường dẫn chưa có gì
- pad và unk là text của một entry có sẵn, hoặc của entry mới được thêm vào cuối""",
}

_SOURCE_RULES: Translated = {
    "en": """\
- files must be a list of paths
- fields must be a list of lists of JSON keys
- templates must be a list of strings""",
    "vi": """\
- files phải là danh sách đường dẫn
- fields phải là danh sách các danh sách key JSON
- templates phải là danh sách string""",
}

_DOCUMENTS_RULES: Translated = {
    "en": """\
- language, time and key are JSON keys; each may be left out
- languages is a list of 1 to 256 distinct codes, given together with language
- time_zone is an IANA name such as "Europe/Paris" and holds for times without a zone
- min_chars is an integer of at least 0""",
    "vi": """\
- language, time và key là key JSON; có thể bỏ bất kỳ cái nào
- languages là danh sách 1 đến 256 mã khác nhau, khai báo cùng với language
- time_zone là tên IANA như "Europe/Paris", dùng cho thời gian không ghi múi giờ
- min_chars là số nguyên từ 0 trở lên""",
}

_SPLITS_RULES: Translated = {
    "en": """\
- test_docs and val_docs are integers of at least 0; they need documents(time=...)
- test and val are fractions of at least 0; together they are below 1
- as_of, or SOURCE_DATE_EPOCH in the environment, says what "now" is""",
    "vi": """\
- test_docs và val_docs là số nguyên từ 0 trở lên; cần có documents(time=...)
- test và val là tỷ lệ từ 0 trở lên; tổng nhỏ hơn 1
- as_of, hoặc SOURCE_DATE_EPOCH trong môi trường, cho biết "bây giờ" là lúc nào""",
}

_SHARDS_RULES: Translated = {
    "en": """\
- tokens is an integer from 1 to 4294967295
- seed is an integer from 0 to 18446744073709551615
- build_batch is an integer of at least 1""",
    "vi": """\
- tokens là số nguyên từ 1 đến 4294967295
- seed là số nguyên từ 0 đến 18446744073709551615
- build_batch là số nguyên từ 1 trở lên""",
}

TEXTS: dict[str, Translated] = {
    "LanguageError": {
        "en": """\
Unknown language.

Language:
{language}

Supported languages:
- en
- vi""",
        "vi": """\
Ngôn ngữ không được hỗ trợ.

Ngôn ngữ:
{language}

Các ngôn ngữ hiện hỗ trợ:
- en
- vi""",
    },
    "JobFileError": {
        "en": """\
Job file could not be used.

File:
{file}

Key:
{key}

Problem:
{problem}""",
        "vi": """\
Không dùng được file job.

File:
{file}

Key:
{key}

Vấn đề:
{problem}""",
    },
    "PipelineValidationError": {
        "en": """\
Pipeline configuration is incomplete.

Missing:
{missing}""",
        "vi": """\
Pipeline chưa được cấu hình đầy đủ.

Thiếu:
{missing}""",
    },
    "UnknownPipelineError": {
        "en": """\
Unknown pipeline.

Pipeline:
{name}

Known pipelines:
{known}""",
        "vi": """\
Không có pipeline này.

Pipeline:
{name}

Các pipeline hiện có:
{known}""",
    },
    "MintDimFileNotFoundError": {
        "en": """\
Required file was not found.

Context:
{context}

Missing file:
{file}""",
        "vi": """\
Không tìm thấy file cần dùng.

Context:
{context}

File thiếu:
{file}""",
    },
    "NotAFileError": {
        "en": """\
Required path is not a regular file.

Context:
{context}

Path:
{file}""",
        "vi": """\
Đường dẫn cần dùng không phải là file thường.

Context:
{context}

Đường dẫn:
{file}""",
    },
    "SourceValidationError": {
        "en": f"""\
Invalid source config.

Problem:
{{problem}}

Rules:
{_SOURCE_RULES["en"]}""",
        "vi": f"""\
Cấu hình source không hợp lệ.

Vấn đề:
{{problem}}

Quy tắc:
{_SOURCE_RULES["vi"]}""",
    },
    "SourceParseError": {
        "en": """\
JSONL line could not be parsed.

File:
{file}

Line:
{line}

Reason:
{reason}""",
        "vi": """\
Không đọc được dòng JSONL.

File:
{file}

Dòng:
{line}

Lý do:
{reason}""",
    },
    "MissingLibraryError": {
        "en": """\
Library needed for this task could not be imported.

Library:
{requirement}

Problem:
{problem}

Fix:
pip install "{requirement}\"""",
        "vi": """\
Không import được thư viện cần cho việc này.

Thư viện:
{requirement}

Vấn đề:
{problem}

Cách sửa:
pip install "{requirement}\"""",
    },
    "SourceReadError": {
        "en": """\
Input file could not be read.

File:
{file}

Reason:
{reason}""",
        "vi": """\
Không đọc được file đầu vào.

File:
{file}

Lý do:
{reason}""",
    },
    "SourceChangedError": {
        "en": """\
Source file changed while it was being read.

File:
{file}

Change:
{reason}

Fix:
let the writer of this file finish, then build again into a new output directory""",
        "vi": """\
File nguồn bị thay đổi trong lúc đang đọc.

File:
{file}

Thay đổi:
{reason}

Cách sửa:
chờ file được ghi xong rồi build lại vào thư mục output mới""",
    },
    "SampleSchemaError": {
        "en": """\
JSONL sample is missing declared fields.

File:
{file}

Line:
{line}

Declared fields:
{declared_fields}

Missing fields:
{missing_fields}

Available keys:
{available_keys}""",
        "vi": """\
Sample JSONL thiếu fields đã khai báo.

File:
{file}

Dòng:
{line}

Fields đã khai báo:
{declared_fields}

Fields bị thiếu:
{missing_fields}

Keys hiện có:
{available_keys}""",
    },
    "SampleFieldTypeError": {
        "en": """\
JSONL sample has a declared field whose value is not text.

File:
{file}

Line:
{line}

Field:
{field}

Type found:
{found}

Fix:
use a string, a number or a boolean for this field, or leave the sample out of the file""",
        "vi": """\
Sample JSONL có field đã khai báo nhưng giá trị không phải văn bản.

File:
{file}

Dòng:
{line}

Field:
{field}

Kiểu nhận được:
{found}

Cách sửa:
dùng string, số hoặc boolean cho field này, hoặc bỏ sample khỏi file""",
    },
    "TokenizerValidationError.config": {
        "en": f"""\
Invalid tokenizer config.

Component:
config

Problem:
{{problem}}

Rules:
{_CONFIG_RULES["en"]}""",
        "vi": f"""\
Cấu hình tokenizer không hợp lệ.

Thành phần:
config

Vấn đề:
{{problem}}

Quy tắc:
{_CONFIG_RULES["vi"]}""",
    },
    "TokenizerValidationError.format": {
        "en": """\
Unsupported tokenizer format.

Supported formats:
- sentencepiece (.model)
- huggingface tokenizer (.json)

File:
{file}

Problem:
{problem}""",
        "vi": """\
Định dạng tokenizer chưa được hỗ trợ.

Các định dạng hiện hỗ trợ:
- sentencepiece (.model)
- huggingface tokenizer (.json)

File:
{file}

Vấn đề:
{problem}""",
    },
    "TokenizerSpecialTokenError": {
        "en": """\
Tokenizer library did not expose a required special token.

Special token:
{special_token}

Problem:
{problem}

Tokenizer:
{file}

Fix:
write a ready copy of the tokenizer and build with that copy, in Python or by a command:
{call}
{command}{also}""",
        "vi": """\
Thư viện tokenizer không cung cấp special token bắt buộc.

Special token:
{special_token}

Vấn đề:
{problem}

Tokenizer:
{file}

Cách sửa:
ghi một bản sao đã sẵn sàng của tokenizer rồi build với bản sao đó, bằng Python hoặc bằng lệnh:
{call}
{command}{also}""",
    },
    "TokenizerPrepareError": {
        "en": f"""\
Tokenizer cannot be prepared like this.

Problem:
{{problem}}

Rules:
{_PREPARE_RULES["en"]}""",
        "vi": f"""\
Không thể chuẩn bị tokenizer như vậy.

Vấn đề:
{{problem}}

Quy tắc:
{_PREPARE_RULES["vi"]}""",
    },
    "TokenizerPrepareMissingError": {
        "en": """\
Tokenizer lacks a special token, and none was given.

Tokenizer:
{file}

Missing arguments:
{missing}

Existing entries that may serve as pad:
{pad_candidates}

Existing entries that may serve as unk:
{unk_candidates}

Fix:
name an existing entry, or a new text, which is appended; for example:
{call}
{command}""",
        "vi": """\
Tokenizer thiếu special token, và không có giá trị nào được cho.

Tokenizer:
{file}

Tham số còn thiếu:
{missing}

Các entry có sẵn có thể dùng làm pad:
{pad_candidates}

Các entry có sẵn có thể dùng làm unk:
{unk_candidates}

Cách sửa:
ghi tên một entry có sẵn, hoặc một text mới để thêm vào cuối; ví dụ:
{call}
{command}""",
    },
    "TokenizerPrepareProofError": {
        "en": """\
Copy of the tokenizer would encode a text differently. Nothing was written.

Text:
{text}

Ids of the original:
{before}

Ids of the copy:
{after}

Problem:
{problem}

Fix:
give another text for the new entry, one that never stands in data as one piece
(for example with a space inside), or name an existing entry""",
        "vi": """\
Bản sao của tokenizer sẽ encode một văn bản khác đi. Chưa có gì được ghi.

Văn bản:
{text}

Id của bản gốc:
{before}

Id của bản sao:
{after}

Vấn đề:
{problem}

Cách sửa:
dùng text khác cho entry mới, loại không bao giờ đứng thành một mảnh trong dữ liệu
(ví dụ có dấu cách ở giữa), hoặc ghi tên một entry có sẵn""",
    },
    "DocumentsValidationError": {
        "en": f"""\
Invalid documents config.

Problem:
{{problem}}

Rules:
{_DOCUMENTS_RULES["en"]}""",
        "vi": f"""\
Cấu hình documents không hợp lệ.

Vấn đề:
{{problem}}

Quy tắc:
{_DOCUMENTS_RULES["vi"]}""",
    },
    "SplitsValidationError": {
        "en": f"""\
Invalid splits config.

Problem:
{{problem}}

Rules:
{_SPLITS_RULES["en"]}""",
        "vi": f"""\
Cấu hình splits không hợp lệ.

Vấn đề:
{{problem}}

Quy tắc:
{_SPLITS_RULES["vi"]}""",
    },
    "ShardsValidationError": {
        "en": f"""\
Invalid shards config.

Problem:
{{problem}}

Rules:
{_SHARDS_RULES["en"]}""",
        "vi": f"""\
Cấu hình shards không hợp lệ.

Vấn đề:
{{problem}}

Quy tắc:
{_SHARDS_RULES["vi"]}""",
    },
    "SplitError": {
        "en": """\
Documents do not give the splits that were asked for. Nothing was written.

Problem:
{problem}

Fix:
ask for fewer test and val documents, add documents, or declare other languages""",
        "vi": """\
Các tài liệu không đủ để chia thành các split đã yêu cầu. Chưa có gì được ghi.

Vấn đề:
{problem}

Cách sửa:
yêu cầu ít tài liệu test và val hơn, thêm tài liệu, hoặc khai báo các ngôn ngữ khác""",
    },
    "TokenizerEosError": {
        "en": """\
Token that ends a document (EOS) is not known.

Tokenizer:
{file}

Problem:
{problem}

Fix:
sentencepiece: use a model that was trained with an EOS piece
hf_json: name a token of the vocabulary, for example eos="<|endoftext|>\"""",
        "vi": """\
Không biết token kết thúc tài liệu (EOS).

Tokenizer:
{file}

Vấn đề:
{problem}

Cách sửa:
sentencepiece: dùng model đã train với piece EOS
hf_json: ghi tên một token trong vocabulary, ví dụ eos="<|endoftext|>\"""",
    },
    "DocumentError": {
        "en": """\
Document cannot go into the stream.

File:
{file}

Line:
{line}

Problem:
{problem}""",
        "vi": """\
Không thể đưa tài liệu vào luồng token.

File:
{file}

Dòng:
{line}

Vấn đề:
{problem}""",
    },
    "TokenizerEncodeError": {
        "en": """\
Tokenizer library failed to encode a sample.

File:
{file}

Line:
{line}

Tokenizer:
{tokenizer}

Problem:
{problem}""",
        "vi": """\
Thư viện tokenizer không tokenize được một sample.

File:
{file}

Dòng:
{line}

Tokenizer:
{tokenizer}

Vấn đề:
{problem}""",
    },
    "TokenizerChangedError": {
        "en": """\
Tokenizer file changed after it was checked.

File:
{file}

Fix:
keep the tokenizer file unchanged during the build""",
        "vi": """\
File tokenizer bị thay đổi sau khi đã kiểm tra.

File:
{file}

Cách sửa:
giữ nguyên file tokenizer trong lúc build""",
    },
    "TokenizerMappingError": {
        "en": """\
Received {file_count} input files but {count} tokenizers.

MintDim supports:
- 1 tokenizer shared across all files
- N tokenizers for N files""",
        "vi": """\
Nhận {file_count} file đầu vào nhưng chỉ có {count} tokenizer.

MintDim hỗ trợ:
- 1 tokenizer dùng chung cho tất cả file
- N tokenizer cho N file""",
    },
    "FieldMappingError": {
        "en": """\
Received {file_count} input files but {count} field configs.

MintDim supports:
- 1 field config shared across all files
- N field configs for N files""",
        "vi": """\
Nhận {file_count} file đầu vào nhưng chỉ có {count} cấu hình fields.

MintDim hỗ trợ:
- 1 fields dùng chung cho tất cả file
- N fields cho N file""",
    },
    "TemplateMappingError": {
        "en": """\
Received {file_count} input files but {count} templates.

MintDim supports:
- 1 template shared across all files
- N templates for N files""",
        "vi": """\
Nhận {file_count} file đầu vào nhưng chỉ có {count} template.

MintDim hỗ trợ:
- 1 template dùng chung cho tất cả file
- N template cho N file""",
    },
    "TemplateFieldMismatchError": {
        "en": """\
Source file:
{file}

API declaration for this file:
fields = {fields}
template = {template}

Field causing template mismatch:
{field}
Reason:
{reason}""",
        "vi": """\
File nguồn:
{file}

Khai báo API cho file này:
fields = {fields}
template = {template}

Field gây lệch template:
{field}
Lý do:
{reason}""",
    },
    "TemplateTokenizerError": {
        "en": """\
Template static parts produce UNK when encoded by the tokenizer.

File index:
{file_index}

Template:
{template}

Problem:
template literal characters are not fully covered by tokenizer vocabulary

Fix:
adjust template literal characters or use a tokenizer that covers them

Literal:
{literal}""",
        "vi": """\
Phần literal của template tạo UNK khi tokenize.

Vị trí file:
{file_index}

Template:
{template}

Vấn đề:
ký tự literal trong template không được tokenizer bao phủ

Cách sửa:
chỉnh ký tự literal hoặc dùng tokenizer bao phủ được

Literal:
{literal}""",
    },
    "UnitMappingError": {
        "en": """\
Received {file_count} input files but {count} unit configs.

MintDim supports:
- 1 unit config shared across all files
- N unit configs for N input files""",
        "vi": """\
Nhận {file_count} file đầu vào nhưng chỉ có {count} unit config.

MintDim hỗ trợ:
- 1 unit config dùng chung cho tất cả file
- N unit config cho N file""",
    },
    "UnitValidationError": {
        "en": """\
Invalid unit config.

Rules:
- sizes must be positive integers
- sizes must be sorted ascending
- build_batch must be a positive integer

Problem:
{problem}""",
        "vi": """\
Unit config không hợp lệ.

Quy tắc:
- sizes phải là các số nguyên dương
- sizes phải tăng dần
- build_batch phải là số nguyên dương

Vấn đề:
{problem}""",
    },
    "UnitOverflowError": {
        "en": """\
Sample token length exceeds max unit size.

Sample:
{file}:{line}

token_count:
{token_count}

max_unit_size:
{max_unit_size}

Increase unit sizes and run again.""",
        "vi": """\
Độ dài token của mẫu vượt quá unit lớn nhất.

Mẫu:
{file}:{line}

token_count:
{token_count}

max_unit_size:
{max_unit_size}

Hãy tăng unit sizes rồi chạy lại.""",
    },
    "FetchArgumentError": {
        "en": """\
Fetch cannot be done as asked.

Problem:
{problem}

Rules:
- URL is the folder of a dataset: http://, https:// or file:///
- DEST is a new or empty directory, or holds files of the same dataset and nothing else
- only and train_limit choose splits and training shards of a stream-build dataset""",
        "vi": """\
Không thể tải theo yêu cầu.

Vấn đề:
{problem}

Quy tắc:
- URL là thư mục của dataset: http://, https:// hoặc file:///
- DEST là thư mục mới hoặc rỗng, hoặc chỉ chứa file của cùng dataset
- only và train_limit chọn split và số shard train của dataset stream-build""",
    },
    "OutputMappingError": {
        "en": """\
Received {file_count} input files but {count} output directories.

MintDim supports:
- 1 shared output directory
- N output directories for N input files""",
        "vi": """\
Nhận {file_count} file đầu vào nhưng chỉ có {count} thư mục output.

MintDim hỗ trợ:
- 1 output dùng chung
- N output cho N file""",
    },
    "OutputOverlapError": {
        "en": """\
Two output directories are the same or lie inside each other.

Directories:
{directories}

Fix:
give one output directory to share it, or N separate directories for N input files""",
        "vi": """\
Hai thư mục output trùng nhau hoặc nằm trong nhau.

Thư mục:
{directories}

Cách sửa:
dùng một thư mục output chung, hoặc N thư mục riêng cho N file đầu vào""",
    },
    "OutputTokenizerError": {
        "en": """\
Files that share an output directory must share one tokenizer.

Directory:
{directory}

Tokenizers:
{tokenizers}

Fix:
use the same tokenizer for these files, or give each file an output directory of its own""",
        "vi": """\
Các file dùng chung một thư mục output phải dùng chung một tokenizer.

Thư mục:
{directory}

Tokenizer:
{tokenizers}

Cách sửa:
dùng cùng một tokenizer cho các file này, hoặc cho mỗi file một thư mục output riêng""",
    },
    "OutputValidationError": {
        "en": """\
Output directory already exists and is not empty.

Directory:
{directory}

Use a new output directory.""",
        "vi": """\
Thư mục output đã tồn tại và không rỗng.

Thư mục:
{directory}

Hãy dùng thư mục output mới.""",
    },
    "OutputNotADirectoryError": {
        "en": """\
Output path exists and is not a directory.

Path:
{directory}

Use a new output directory.""",
        "vi": """\
Đường dẫn output đã tồn tại và không phải là thư mục.

Đường dẫn:
{directory}

Hãy dùng thư mục output mới.""",
    },
    "OutputFileExistsError": {
        "en": """\
Output file already exists.

Path:
{directory}

Use a new path.""",
        "vi": """\
File output đã tồn tại.

Đường dẫn:
{directory}

Hãy dùng đường dẫn mới.""",
    },
    "OutputConfigError": {
        "en": """\
Invalid output config.

Problem:
{problem}

Rules:
- dir must be a path or a list of paths
- each path must be a non-empty string or path object""",
        "vi": """\
Cấu hình output không hợp lệ.

Vấn đề:
{problem}

Quy tắc:
- dir phải là một đường dẫn hoặc danh sách đường dẫn
- mỗi đường dẫn phải là string hoặc path object không rỗng""",
    },
    "OutputWriteError": {
        "en": """\
Output could not be written.

Path:
{path}

Reason:
{reason}

Fix:
make room or restore access, then build again into a new output directory""",
        "vi": """\
Không ghi được output.

Đường dẫn:
{path}

Lý do:
{reason}

Cách sửa:
giải phóng dung lượng hoặc khôi phục quyền truy cập, rồi build lại vào thư mục output mới""",
    },
    "EngineValidationError": {
        "en": """\
Invalid engine config.

Problem:
{problem}

Rules:
- workers must be a positive integer
- exactness must be checked or official""",
        "vi": """\
Cấu hình engine không hợp lệ.

Vấn đề:
{problem}

Quy tắc:
- workers phải là số nguyên dương
- exactness phải là checked hoặc official""",
    },
    "EngineError": {
        "en": """\
Worker processes failed.

Problem:
{problem}

Fix:
use fewer workers if memory is short, or build without them: .engine.inline()""",
        "vi": """\
Các tiến trình worker bị lỗi.

Vấn đề:
{problem}

Cách sửa:
dùng ít worker hơn nếu thiếu bộ nhớ, hoặc build không dùng worker: .engine.inline()""",
    },
    "FetchError": {
        "en": """\
Dataset could not be fetched.

From:
{url}

Into:
{path}

File:
{file}

Problem:
{problem}

Done:
{summary}

Fix:
{advice}""",
        "vi": """\
Không tải được dataset.

Từ:
{url}

Vào:
{path}

File:
{file}

Vấn đề:
{problem}

Đã làm:
{summary}

Cách sửa:
{advice}""",
    },
    "BuildInterruptedError": {
        "en": """\
Build was stopped by a signal.

Signal:
{signal_name}

Output directory:
{directory}

Fix:
build again into a new output directory""",
        "vi": """\
Quá trình build bị dừng bởi một tín hiệu.

Tín hiệu:
{signal_name}

Thư mục output:
{directory}

Cách sửa:
build lại vào thư mục output mới""",
    },
    "NotADatasetError": {
        "en": """\
Directory is not a finished MintDim dataset.

Directory:
{path}

Problem:
{problem}""",
        "vi": """\
Thư mục không phải là dataset MintDim đã hoàn tất.

Thư mục:
{path}

Vấn đề:
{problem}""",
    },
    "DatasetDamagedError": {
        "en": """\
Dataset is damaged.

Directory:
{path}

File:
{file}

Problem:
{problem}

Fix:
restore the file from a copy, or build the dataset again""",
        "vi": """\
Dataset bị hỏng.

Thư mục:
{path}

File:
{file}

Vấn đề:
{problem}

Cách sửa:
khôi phục file từ bản sao, hoặc build lại dataset""",
    },
    "DatasetArgumentError": {
        "en": """\
Invalid argument for reading a dataset.

Problem:
{problem}""",
        "vi": """\
Tham số đọc dataset không hợp lệ.

Vấn đề:
{problem}""",
    },
    "DatasetStateError": {
        "en": """\
Saved state does not belong to this loader.

Directory:
{path}

Problem:
{problem}

Fix:
make the loader with the dataset and the options that the state was saved with""",
        "vi": """\
Trạng thái đã lưu không thuộc về loader này.

Thư mục:
{path}

Vấn đề:
{problem}

Cách sửa:
tạo loader với đúng dataset và tùy chọn lúc lưu trạng thái""",
    },
    "TokenDTypeValidationError": {
        "en": """\
Tokenizer vocabulary is too large for supported token dtypes.

Supported dtypes:
- uint16
- uint32""",
        "vi": """\
Vocab của tokenizer quá lớn so với dtype token được hỗ trợ.

Các dtype hiện hỗ trợ:
- uint16
- uint32""",
    },
    "SamplesPerShardError": {
        "en": """\
Invalid samples_per_shard.

Problem:
{problem}

Rules:
- each samples_per_shard[i] is a positive int
- len(samples_per_shard) == 1 or len(samples_per_shard) == file_count""",
        "vi": """\
samples_per_shard không hợp lệ.

Vấn đề:
{problem}

Quy tắc:
- mỗi samples_per_shard[i] phải là số nguyên dương
- len(samples_per_shard) == 1 hoặc len(samples_per_shard) == số file""",
    },
}

PHRASES: dict[str, Translated] = {
    # Why a line of JSONL was refused.
    "invalid_json": {
        "en": "invalid JSON syntax: {detail}",
        "vi": "JSON không hợp lệ: {detail}",
    },
    "not_a_number": {
        "en": "invalid JSON syntax: {literal} is not a JSON value; write null or a number",
        "vi": "JSON không hợp lệ: {literal} không phải là giá trị JSON; hãy ghi null hoặc một số",
    },
    "not_an_object": {
        "en": "the line holds a JSON {found}, not a JSON object",
        "vi": "dòng chứa JSON {found}, không phải JSON object",
    },
    "too_deep": {
        "en": "arrays and objects are nested more than {limit} levels deep",
        "vi": "array và object lồng nhau sâu hơn {limit} cấp",
    },
    "not_utf8": {
        "en": "the line is not valid UTF-8: byte 0x{byte:02x} at position {position} of the line",
        "vi": "dòng không phải UTF-8 hợp lệ: byte 0x{byte:02x} tại vị trí {position} của dòng",
    },
    "looks_like": {
        "en": "the line is not valid UTF-8: the file looks like {kind}, which needs: {advice}",
        "vi": "dòng không phải UTF-8 hợp lệ: file có vẻ là {kind}, cần: {advice}",
    },
    "lone_surrogate": {
        "en": (
            "field {field} holds half of a surrogate pair (\\u{value:04x}), which is no character; "
            "the text was probably cut inside an emoji"
        ),
        "vi": (
            "field {field} chứa một nửa cặp surrogate (\\u{value:04x}), không phải ký tự; "
            "có thể văn bản bị cắt giữa một emoji"
        ),
    },
    "archive_truncated": {
        "en": "the {kind} file ends too early (truncated archive)",
        "vi": "file {kind} kết thúc quá sớm (file nén bị cụt)",
    },
    "archive_corrupt": {
        "en": "the {kind} file is corrupt: {detail}",
        "vi": "file {kind} bị hỏng: {detail}",
    },
    # Environment.
    "os_error": {"en": "{detail}", "vi": "{detail}"},
    "changed_size": {
        "en": "size was {before} bytes, is now {now} bytes",
        "vi": "kích thước trước là {before} byte, hiện là {now} byte",
    },
    "changed_content": {
        "en": "it holds other bytes than it did when it was read before",
        "vi": "nội dung không còn như lần đọc trước",
    },
    "changed_time": {
        "en": "the time of its last change is not the one seen at the start",
        "vi": "thời điểm sửa đổi cuối khác với lúc bắt đầu",
    },
    # Templates.
    "template_uses_undeclared": {
        "en": "template uses {{{field}}}, but fields does not declare it",
        "vi": "template dùng {{{field}}}, nhưng fields không khai báo field này",
    },
    "fields_unused": {
        "en": "fields declares this field, but template does not use {{{field}}}",
        "vi": "fields khai báo field này, nhưng template không dùng {{{field}}}",
    },
    # Structure of the blocks.
    "wrong_type": {
        "en": "{name} must be {expected}, got {found}",
        "vi": "{name} phải là {expected}, hiện tại là {found}",
    },
    "a_list": {"en": "a list", "vi": "danh sách"},
    "a_list_of_lists": {"en": "a list of lists", "vi": "danh sách các danh sách"},
    "a_path": {"en": "a path", "vi": "đường dẫn"},
    "a_string": {"en": "a string", "vi": "string"},
    "a_positive_int": {"en": "a positive integer", "vi": "số nguyên dương"},
    "empty": {"en": "{name} must not be empty", "vi": "{name} không được rỗng"},
    "not_text": {
        "en": "{name} holds a lone surrogate or a NUL byte, which no file name or text can hold",
        "vi": "{name} chứa surrogate lẻ hoặc byte NUL, không dùng được trong tên file hay văn bản",
    },
    "two_names": {
        "en": "{first} and {second} are two names of one argument; give one of them",
        "vi": "{first} và {second} là hai tên của cùng một tham số; chỉ dùng một",
    },
    "not_ascending": {
        "en": "{name} must be sorted ascending without repeats, got {found}",
        "vi": "{name} phải tăng dần và không lặp lại, hiện tại là {found}",
    },
    "too_large": {
        "en": "{name} must be at most {limit}, got {found}",
        "vi": "{name} phải không lớn hơn {limit}, hiện tại là {found}",
    },
    "samples_not_positive": {
        "en": "samples_per_shard[{index}] must be a positive int, got {found}",
        "vi": "samples_per_shard[{index}] phải là số nguyên dương, hiện tại là {found}",
    },
    "samples_arity": {
        "en": "Received {file_count} input files but {count} samples_per_shard entries",
        "vi": "Nhận {file_count} file đầu vào nhưng chỉ có {count} samples_per_shard",
    },
    # Tokenizer config and files.
    "tokenizer_not_a_dict": {
        "en": "tokenizer config must be a dict, got {found}",
        "vi": "config tokenizer phải là dict, hiện tại là {found}",
    },
    "tokenizer_no_path": {
        "en": "tokenizer config is missing required key: 'path'",
        "vi": "config tokenizer thiếu key bắt buộc: 'path'",
    },
    "tokenizer_path_type": {
        "en": "tokenizer path must be a non-empty string, got {found}",
        "vi": "path của tokenizer phải là string không rỗng, hiện tại là {found}",
    },
    "tokenizer_unknown_keys": {
        "en": (
            "tokenizer config has unknown keys: {keys}. "
            "unk_id and pad_id are loaded from the tokenizer library."
        ),
        "vi": (
            "config tokenizer có key không hợp lệ: {keys}. "
            "unk_id và pad_id được lấy từ thư viện tokenizer."
        ),
    },
    "tokenizer_unreadable": {
        "en": "the {kind} library cannot load this file: {detail}",
        "vi": "thư viện {kind} không đọc được file này: {detail}",
    },
    "no_unk": {
        "en": "the tokenizer defines no unknown token",
        "vi": "tokenizer không định nghĩa token UNK",
    },
    "unk_outside": {
        "en": "the unknown token {token} is not in the model's vocabulary",
        "vi": "token UNK {token} không có trong vocab của model",
    },
    "no_pad": {
        "en": "the tokenizer defines no padding token",
        "vi": "tokenizer không định nghĩa token PAD",
    },
    "pad_disagrees": {
        "en": "the padding settings name {token} with id {pad_id}, which is not its id",
        "vi": "cấu hình padding ghi {token} với id {pad_id}, không phải id của token này",
    },
    "library_error": {"en": "{detail}", "vi": "{detail}"},
    # Ready copies of tokenizers.
    "prepare_pad_as_well": {
        "en": '\n(add pad="<pad>", or --pad "<pad>", if it has no padding token either)',
        "vi": '\n(thêm pad="<pad>", hoặc --pad "<pad>", nếu tokenizer cũng không có token PAD)',
    },
    "prepare_missing": {
        "en": "the tokenizer exposes no such token, and none was given: {names}",
        "vi": "tokenizer không cung cấp token này, và không có giá trị nào được cho: {names}",
    },
    "prepare_not_control": {
        "en": (
            "{token} is no control piece of this model, so the library takes it for text and not "
            "for padding; name a control piece ({controls}) or a new text"
        ),
        "vi": (
            "{token} không phải control piece của model này, nên thư viện coi nó là văn bản chứ "
            "không phải padding; hãy ghi tên một control piece ({controls}) hoặc một text mới"
        ),
    },
    "prepare_one_unknown": {
        "en": (
            "a SentencePiece model has exactly one unknown piece, here {token} with id {token_id}; "
            "leave unk out"
        ),
        "vi": (
            "model SentencePiece có đúng một unknown piece, ở đây là {token} với id {token_id}; "
            "hãy bỏ unk"
        ),
    },
    "prepare_ids_differ": {
        "en": "the new entry matches in text, or changes how text is cut",
        "vi": "entry mới khớp với văn bản, hoặc làm văn bản bị cắt khác đi",
    },
    "prepare_unreadable": {
        "en": "the library does not load the copy with these entries: {detail}",
        "vi": "thư viện không đọc được bản sao với các entry này: {detail}",
    },
    "prepare_not_exposed": {
        "en": "the library does not expose these entries as PAD and UNK",
        "vi": "thư viện không cung cấp các entry này làm PAD và UNK",
    },
    # Engines.
    "worker_lost": {
        "en": "a worker died {times} times over the same piece of work ({detail})",
        "vi": "worker bị chết {times} lần trên cùng một phần việc ({detail})",
    },
    # Job files.
    "job_pipeline": {
        "en": "only unit-build and stream-build jobs can be run from a file, got {found}",
        "vi": "chỉ chạy được job unit-build và stream-build từ file, hiện tại là {found}",
    },
    "job_eos": {
        "en": "a SentencePiece model has an EOS of its own; leave this key out",
        "vi": "model SentencePiece đã có EOS riêng; hãy bỏ key này",
    },
    "unknown_key": {
        "en": "there is no such key; known keys: {known}",
        "vi": "không có key này; các key hợp lệ: {known}",
    },
    "not_a_table": {
        "en": "{name} must be a table: [{name}]",
        "vi": "{name} phải là một bảng: [{name}]",
    },
    "exactness_value": {
        "en": "exactness must be one of {known}, got {found}",
        "vi": "exactness phải là một trong {known}, hiện tại là {found}",
    },
    "tokenizer_kind": {
        "en": "type must be 'sentencepiece' or 'hf_json', got {found}",
        "vi": "type phải là 'sentencepiece' hoặc 'hf_json', hiện tại là {found}",
    },
    "tokenizer_one_path": {
        "en": "give path (one tokenizer) or paths (one per file), and not both",
        "vi": "hãy cho path (một tokenizer) hoặc paths (mỗi file một tokenizer), không cả hai",
    },
    # Documents that came from elsewhere.
    "an_object": {"en": "a JSON object", "vi": "object JSON"},
    "a_count": {"en": "an integer from 0", "vi": "số nguyên từ 0"},
    "an_integer": {"en": "an integer", "vi": "số nguyên"},
    "a_digest": {
        "en": "a SHA-256 of 64 lower-case hex digits",
        "vi": "SHA-256 gồm 64 chữ số hex thường",
    },
    "a_shard_name": {
        "en": "a name like train_000.bin (train, val or test; three digits or more)",
        "vi": "tên dạng train_000.bin (train, val hoặc test; từ ba chữ số)",
    },
    "a_token_dtype": {"en": "uint16 or uint32", "vi": "uint16 hoặc uint32"},
    "language_codes": {
        "en": "a list of 1 to 256 different strings",
        "vi": "danh sách từ 1 đến 256 string khác nhau",
    },
    "the_split_of_its_name": {
        "en": "the split that its name begins with",
        "vi": "split ở đầu tên của nó",
    },
    "shard_twice": {
        "en": "the shard {name} is listed twice",
        "vi": "shard {name} được liệt kê hai lần",
    },
    "key_missing": {"en": "{name} is missing", "vi": "thiếu {name}"},
    "key_twice": {
        "en": "the key {name} stands there twice",
        "vi": "key {name} xuất hiện hai lần",
    },
    "too_many_bytes": {
        "en": "it has {found} bytes; at most {most} are read",
        "vi": "file có {found} byte; chỉ đọc tối đa {most}",
    },
    # Datasets.
    "changed_rows": {
        "en": "a part of it had {before} rows, now it has {now}",
        "vi": "một phần của nó có {before} dòng, nay có {now} dòng",
    },
    "not_a_time": {
        "en": "{name} is not an ISO 8601 time: {found}",
        "vi": "{name} không phải thời gian ISO 8601: {found}",
    },
    "not_epoch_seconds": {
        "en": "SOURCE_DATE_EPOCH in the environment must be a whole number of seconds, got {found}",
        "vi": "SOURCE_DATE_EPOCH trong môi trường phải là số giây nguyên, hiện tại là {found}",
    },
    "no_time_zone": {
        "en": "time_zone {found} is not known on this machine",
        "vi": "máy này không biết time_zone {found}",
    },
    "needs": {
        "en": "{name} needs {needed}",
        "vi": "{name} cần có {needed}",
    },
    "language_twice": {
        "en": "languages names {language} twice",
        "vi": "languages ghi {language} hai lần",
    },
    "too_many_languages": {
        "en": "languages has {found} entries; a code has one byte, so at most 256 fit",
        "vi": "languages có {found} mục; mỗi mã một byte nên tối đa 256",
    },
    "not_a_fraction": {
        "en": "{name} must be a number from 0 up to, but not including, 1, got {found}",
        "vi": "{name} phải là số từ 0 đến dưới 1, hiện tại là {found}",
    },
    "fractions_too_large": {
        "en": "val and test together must be below 1, or nothing is left for train; got {found}",
        "vi": "tổng val và test phải nhỏ hơn 1, nếu không train sẽ trống; hiện tại là {found}",
    },
    "not_a_choice": {
        "en": "{name} must be one of {expected}, got {found}",
        "vi": "{name} phải là một trong {expected}, hiện tại là {found}",
    },
    "no_documents": {
        "en": "no document is left of {rows} rows (dropped: {dropped})",
        "vi": "không còn tài liệu nào trong {rows} dòng (đã bỏ: {dropped})",
    },
    "too_few_dated": {
        "en": "language {language} has {found} dated documents; {needed} are needed",
        "vi": "ngôn ngữ {language} có {found} tài liệu có ngày; cần {needed}",
    },
    "split_empty": {
        "en": "split {split} stays empty",
        "vi": "split {split} không có tài liệu nào",
    },
    "eos_missing": {
        "en": "the model defines no EOS (eos_id() is negative)",
        "vi": "model không định nghĩa EOS (eos_id() là số âm)",
    },
    "eos_not_named": {
        "en": 'a tokenizer.json does not say which of its tokens ends a text; give eos="..."',
        "vi": 'tokenizer.json không cho biết token nào kết thúc văn bản; hãy ghi eos="..."',
    },
    "eos_unknown": {
        "en": "there is no token {token} in the vocabulary",
        "vi": "không có token {token} trong vocabulary",
    },
    "eos_in_text": {
        "en": (
            "its text gives EOS (id {token_id}) as token {position} from 0, so every document "
            "after it would move. Take the text of that token out of the data"
        ),
        "vi": (
            "văn bản của nó sinh ra EOS (id {token_id}) ở vị trí {position} (từ 0), khiến mọi tài "
            "liệu sau đó bị lệch. Hãy bỏ text của token này khỏi dữ liệu"
        ),
    },
    "future_date": {
        "en": (
            'its time {time} lies after {as_of}, and future="error" was asked for. Correct the '
            'time, or use future="train" or future="drop"'
        ),
        "vi": (
            'thời gian {time} nằm sau {as_of}, trong khi đã đặt future="error". Hãy sửa thời '
            'gian, hoặc dùng future="train" hay future="drop"'
        ),
    },
    "read_back_differs": {
        "en": "what was read back differs from what was written: memory or disk is faulty",
        "vi": "dữ liệu đọc lại khác với dữ liệu đã ghi: bộ nhớ hoặc ổ đĩa bị lỗi",
    },
    "no_directory": {
        "en": "there is no such directory",
        "vi": "không có thư mục này",
    },
    "no_manifest": {
        "en": "manifest.json is missing: the build is still running, or ended early",
        "vi": "thiếu manifest.json: quá trình build đang chạy hoặc đã dừng sớm",
    },
    "no_index": {
        "en": "it has neither manifest.json nor shards_index.json: the build is still running, or "
        "ended early",
        "vi": "không có manifest.json lẫn shards_index.json: quá trình build đang chạy hoặc đã "
        "dừng sớm",
    },
    "other_pipeline": {
        "en": "manifest.json names the pipeline {found}; only unit-build is read here",
        "vi": "manifest.json ghi pipeline {found}; ở đây chỉ đọc được unit-build",
    },
    "other_version": {
        "en": "manifest.json has format_version {found}, this version of MintDim reads {known}",
        "vi": "manifest.json có format_version {found}, phiên bản MintDim này đọc {known}",
    },
    "no_file": {
        "en": "{name} is missing; it was written by another tool or another version",
        "vi": "thiếu {name}; dataset được ghi bởi công cụ khác hoặc phiên bản khác",
    },
    "is_missing": {
        "en": "the file is missing",
        "vi": "file bị thiếu",
    },
    "other_hash": {
        "en": "its SHA-256 is not the one in manifest.json",
        "vi": "SHA-256 không khớp với manifest.json",
    },
    "other_size": {
        "en": "it has {found} bytes, its index says {expected}",
        "vi": "file có {found} byte, index ghi {expected}",
    },
    "other_count": {
        "en": "it has {found} rows, the shards hold {expected} samples",
        "vi": "file có {found} dòng, các shard chứa {expected} sample",
    },
    "unreadable": {
        "en": "it cannot be read: {detail}",
        "vi": "không đọc được: {detail}",
    },
    "other_content": {
        "en": "its content is not the one that was built (SHA-256 differs)",
        "vi": "nội dung không phải bản đã build (SHA-256 khác)",
    },
    "stray_file": {
        "en": "the file does not belong to this dataset",
        "vi": "file không thuộc dataset này",
    },
    "unknown_unit": {
        "en": "the manifest has no unit size {size}",
        "vi": "manifest không có unit {size}",
    },
    "value_differs": {
        "en": "{name} is {found}, must be {expected}",
        "vi": "{name} là {found}, phải là {expected}",
    },
    "shard_rows": {
        "en": "sample_index.bin places {found} samples here, the shard holds {expected}",
        "vi": "sample_index.bin đặt {found} sample ở đây, shard chứa {expected}",
    },
    "row_order": {
        "en": "the rows of its shard are not numbered in order of sample_id",
        "vi": "các dòng trong shard không được đánh số theo sample_id",
    },
    "no_padding": {
        "en": "a slot behind the tokens does not hold the PAD id",
        "vi": "một ô sau các token không chứa PAD id",
    },
    "no_such_id": {
        "en": "a token id is larger than any id of the tokenizer",
        "vi": "một token id lớn hơn mọi id của tokenizer",
    },
    "unk_differs": {
        "en": "UNK tokens of sample {sample} differ from those in its shard",
        "vi": "UNK của sample {sample} khác với trong shard",
    },
    "duplicates_differ": {
        "en": "the group is not the one that the hashes of the samples form",
        "vi": "nhóm không khớp với nhóm tạo từ hash của các sample",
    },
    "source_differs": {
        "en": "sample {sample} ({source}:{line}) gives other tokens or another hash now",
        "vi": "sample {sample} ({source}:{line}) hiện cho token hoặc hash khác",
    },
    "source_problem": {
        "en": "its source cannot be used: {detail}",
        "vi": "không dùng được nguồn: {detail}",
    },
    "no_such_unit": {
        "en": "no samples of unit size {size}; sizes with samples: {known}",
        "vi": "không có sample nào thuộc unit {size}; các unit có sample: {known}",
    },
    "one_batch_size": {
        "en": "give batch_size or tokens_per_batch, and not both",
        "vi": "hãy cho batch_size hoặc tokens_per_batch, không phải cả hai",
    },
    "batch_below_unit": {
        "en": "tokens_per_batch is {tokens}, but one row of unit size {size} needs more",
        "vi": "tokens_per_batch là {tokens}, nhưng một dòng của unit {size} cần nhiều hơn",
    },
    "duplicates_choice": {
        "en": "duplicates must be 'keep' or 'first', got {found}",
        "vi": "duplicates phải là 'keep' hoặc 'first', hiện tại là {found}",
    },
    "rank_range": {
        "en": "rank must be an integer from 0 to world_size - 1, got {rank} of {world_size}",
        "vi": "rank phải là số nguyên từ 0 đến world_size - 1, hiện tại: {rank} trên {world_size}",
    },
    "group_multiple": {
        "en": "group must be a multiple of world_size, got {group} and {world_size}",
        "vi": "group phải là bội số của world_size, hiện tại là {group} và {world_size}",
    },
    "no_such_split": {
        "en": "no documents of split {split}; splits with documents: {known}",
        "vi": "không có document nào thuộc split {split}; các split có document: {known}",
    },
    "not_of_this_kind": {
        "en": "{name} is for the other kind of dataset",
        "vi": "{name} dành cho loại dataset khác",
    },
    "other_tokenizer": {
        "en": "{path} is not the tokenizer of this dataset (SHA-256 differs); that was {name}",
        "vi": "{path} không phải tokenizer của dataset này (SHA-256 khác); tokenizer đó là {name}",
    },
    "no_language_codes": {
        "en": "there is no {name}: the languages of these documents are not recorded",
        "vi": "không có {name}: ngôn ngữ của các document này không được ghi lại",
    },
    "other_eos_count": {
        "en": "it holds {found} EOS tokens, its index says {expected} documents",
        "vi": "file có {found} token EOS, index ghi {expected} document",
    },
    "last_eos": {
        "en": "its last EOS is token {found}, must be token {expected}, the last one",
        "vi": "EOS cuối là token {found}, phải là token {expected}, token cuối cùng",
    },
    "no_last_eos": {
        "en": "the last token is not EOS ({eos})",
        "vi": "token cuối không phải là EOS ({eos})",
    },
    "no_such_code": {
        "en": "{code} is no language code; the largest is {most}",
        "vi": "{code} không phải là mã ngôn ngữ; mã lớn nhất là {most}",
    },
    "language_sum": {
        "en": "its codes give {language} {found} tokens, the index says {expected}",
        "vi": "các mã ở đây cho {language} {found} token, index ghi {expected}",
    },
    "shard_too_short": {
        "en": "{name} has {tokens} tokens, sampling needs {least}; take a smaller ctx, leave such "
        "shards out with skip_short=True, or use epochs",
        "vi": "{name} có {tokens} token, lấy mẫu cần {least}; hãy giảm ctx, bỏ các shard như vậy "
        "bằng skip_short=True, hoặc dùng epochs",
    },
    "no_window": {
        "en": "no shard holds a window of ctx + 1 tokens: ctx is {ctx}, the longest has {longest}",
        "vi": "không shard nào chứa đủ ctx + 1 token: ctx là {ctx}, shard dài nhất có {longest}",
    },
    "language_named_all": {
        "en": "names other than 'all', which stands for all languages together",
        "vi": "các tên khác 'all', vì 'all' là mọi ngôn ngữ gộp lại",
    },
    "state_differs": {
        "en": "{name} is {found} in the state, but {expected} here",
        "vi": "{name} là {found} trong trạng thái, nhưng là {expected} ở đây",
    },
    # Fetching: what is wrong with the call.
    "fetch_url": {
        "en": "the URL must begin with http://, https:// or file:///, and name a host; got {found}",
        "vi": "URL phải bắt đầu bằng http://, https:// hoặc file:///, và có host; nhận {found}",
    },
    "fetch_dest": {
        "en": "DEST must be a path",
        "vi": "DEST phải là đường dẫn",
    },
    "fetch_key": {
        "en": "MINTDIM_API_KEY holds white space or characters outside ASCII; no header may",
        "vi": "MINTDIM_API_KEY có khoảng trắng hoặc ký tự ngoài ASCII; header không cho phép",
    },
    "fetch_split": {
        "en": "there is no split {found}; splits are train, val and test",
        "vi": "không có split {found}; các split là train, val và test",
    },
    "fetch_limit_without_train": {
        "en": "train_limit is given, but only leaves train out",
        "vi": "có train_limit nhưng only không có train",
    },
    "fetch_whole_only": {
        "en": "this is a unit-build dataset, it is fetched whole: leave only and train_limit out",
        "vi": "đây là dataset unit-build, phải tải toàn bộ: hãy bỏ only và train_limit",
    },
    "fetch_no_split": {
        "en": "the dataset has no split {split}; it has: {known}",
        "vi": "dataset không có split {split}; các split có: {known}",
    },
    "fetch_not_a_directory": {
        "en": "{path} exists and is not a directory",
        "vi": "{path} đã tồn tại và không phải là thư mục",
    },
    "fetch_link": {
        "en": "{path} is a link or no folder; nothing is written through it",
        "vi": "{path} là liên kết hoặc không phải thư mục; không ghi gì qua đó",
    },
    "fetch_foreign": {
        "en": "{path} holds {name}, which does not belong to what is fetched",
        "vi": "{path} có {name}, không thuộc phần được tải",
    },
    "fetch_other_dataset": {
        "en": "{name} in {path} is that of another dataset, or lists more than was asked for",
        "vi": "{name} trong {path} là của dataset khác, hoặc liệt kê nhiều hơn phần được yêu cầu",
    },
    "output_busy": {
        "en": "another build is writing there; wait for its end, or give another output",
        "vi": "một lần build khác đang ghi ở đó; hãy đợi nó xong, hoặc dùng output khác",
    },
    "fetch_busy": {
        "en": "another fetch is filling {path}",
        "vi": "một lần tải khác đang ghi vào {path}",
    },
    # Fetching: what went wrong.
    "fetch_status": {
        "en": "the server answered {status} {reason}",
        "vi": "máy chủ trả lời {status} {reason}",
    },
    "fetch_unreachable": {
        "en": "the server could not be reached: {detail}",
        "vi": "không kết nối được máy chủ: {detail}",
    },
    "fetch_silent": {
        "en": "nothing came for {seconds} s",
        "vi": "không nhận được gì trong {seconds} giây",
    },
    "fetch_late": {
        "en": "the head of the answer was not complete after {seconds} s",
        "vi": "phần đầu của câu trả lời chưa xong sau {seconds} giây",
    },
    "fetch_slow": {
        "en": "only {found} bytes came in {seconds} s",
        "vi": "chỉ nhận được {found} byte trong {seconds} giây",
    },
    "fetch_cut": {
        "en": "the connection ended after {found} of {expected} bytes",
        "vi": "kết nối bị ngắt sau {found} trên {expected} byte",
    },
    "fetch_broken": {
        "en": "the connection broke off",
        "vi": "kết nối bị đứt",
    },
    "fetch_no_answer": {
        "en": "the server closed the connection without an answer",
        "vi": "máy chủ đóng kết nối mà không trả lời",
    },
    "fetch_not_http": {
        "en": "the answer is no HTTP ({detail})",
        "vi": "câu trả lời không phải HTTP ({detail})",
    },
    "fetch_too_long": {
        "en": "more than the expected {expected} bytes came",
        "vi": "nhận được nhiều hơn {expected} byte dự kiến",
    },
    "fetch_other_size": {
        "en": "it has {found} bytes at the origin, the index says {expected}",
        "vi": "file ở nguồn có {found} byte, index ghi {expected}",
    },
    "fetch_encoded": {
        "en": "the server sends it encoded ({encoding}), though plain bytes were asked for",
        "vi": "máy chủ gửi dạng mã hóa ({encoding}) dù đã yêu cầu byte gốc",
    },
    "fetch_range": {
        "en": "bytes from {expected} on were asked for, the server sends {found}",
        "vi": "đã yêu cầu byte từ {expected}, máy chủ gửi {found}",
    },
    "fetch_changed": {
        "en": "it changed at the origin while it was fetched",
        "vi": "file ở nguồn bị thay đổi trong lúc tải",
    },
    "fetch_redirects": {
        "en": "more than {most} redirects",
        "vi": "hơn {most} lần chuyển hướng",
    },
    "fetch_redirect_refused": {
        "en": "the server redirects to {found}, which is not followed",
        "vi": "máy chủ chuyển hướng tới {found}, không được đi theo",
    },
    "fetch_certificate": {
        "en": "the certificate of the server is not trusted: {detail}",
        "vi": "chứng chỉ của máy chủ không đáng tin: {detail}",
    },
    "fetch_not_a_file": {
        "en": "it is no regular file",
        "vi": "đó không phải là file thường",
    },
    "fetch_other_entry": {
        "en": "it does not say what the index says about its shard",
        "vi": "nội dung không khớp với phần index ghi về shard",
    },
    "fetch_bad_name": {
        "en": "the index lists {name}, which is no file of such a dataset",
        "vi": "index liệt kê {name}, không phải file của loại dataset này",
    },
    "fetch_not_tried": {
        "en": "not tried: the server was out of reach for {count} files in a row",
        "vi": "không thử: máy chủ không phản hồi với {count} file liên tiếp",
    },
    # Fetching: what was done, and what to do.
    "fetch_summary": {
        "en": "{fetched} files fetched, {kept} kept, {failed} failed; {bytes} bytes in {seconds} s",
        "vi": "đã tải {fetched} file, giữ {kept}, lỗi {failed}; {bytes} byte trong {seconds} giây",
    },
    "fetch_again": {
        "en": "run the same command again: whole files are kept, unfinished ones are continued",
        "vi": "chạy lại cùng lệnh: file hoàn chỉnh được giữ lại, file dở dang được tải tiếp",
    },
    "fetch_check_url": {
        "en": "check the URL: it must be the folder in which shards_index.json lies",
        "vi": "kiểm tra URL: phải là thư mục chứa shards_index.json",
    },
    "fetch_check_network": {
        "en": "check the URL and the network, then run the same command again",
        "vi": "kiểm tra URL và mạng, rồi chạy lại cùng lệnh",
    },
    "fetch_give_key": {
        "en": "put a valid key into the environment variable MINTDIM_API_KEY",
        "vi": "đặt key hợp lệ vào biến môi trường MINTDIM_API_KEY",
    },
    "fetch_key_refused": {
        "en": "ask the publisher whether MINTDIM_API_KEY is approved for this dataset",
        "vi": "hỏi bên phát hành xem MINTDIM_API_KEY đã được duyệt cho dataset này chưa",
    },
    "fetch_certificate_way": {
        "en": "trust its authority (SSL_CERT_FILE is a file that holds it), or use the right host",
        "vi": "tin cậy CA của nó (SSL_CERT_FILE là file chứa CA), hoặc dùng đúng tên máy chủ",
    },
    "fetch_ask_origin": {
        "en": "the origin does not hold what it should: tell its publisher, then run this again",
        "vi": "dữ liệu ở nguồn không đúng: báo cho bên phát hành, rồi chạy lại lệnh",
    },
    "fetch_make_room": {
        "en": "make room or restore access, then run the same command again",
        "vi": "giải phóng dung lượng hoặc khôi phục quyền truy cập, rồi chạy lại cùng lệnh",
    },
}
