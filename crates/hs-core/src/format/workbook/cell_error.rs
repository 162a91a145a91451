//! The error values that a cell can have. What becomes of them is not decided here.

/// An error value of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellError {
    /// `#NULL!`
    Null,
    /// `#DIV/0!`
    Div0,
    /// `#VALUE!`
    Value,
    /// `#REF!`
    Ref,
    /// `#NAME?`
    Name,
    /// `#NUM!`
    Num,
    /// `#N/A`
    NotAvailable,
    /// `#GETTING_DATA`
    GettingData,
    /// `#SPILL!`
    Spill,
    /// `#CALC!`
    Calc,
    /// `#FIELD!`
    Field,
    /// `#BLOCKED!`
    Blocked,
    /// `#CONNECT!`
    Connect,
    /// `#BUSY!`
    Busy,
    /// `#UNKNOWN!`
    Unknown,
    /// `#EXTERNAL!`
    External,
    /// `#PYTHON!`
    Python,
}

/// All error values; those from `Spill` on are of Excel versions after 2016 ([MS-XLSX] 2.2.2).
const ERRORS: [CellError; 17] = [
    CellError::Null,
    CellError::Div0,
    CellError::Value,
    CellError::Ref,
    CellError::Name,
    CellError::Num,
    CellError::NotAvailable,
    CellError::GettingData,
    CellError::Spill,
    CellError::Calc,
    CellError::Field,
    CellError::Blocked,
    CellError::Connect,
    CellError::Busy,
    CellError::Unknown,
    CellError::External,
    CellError::Python,
];

impl CellError {
    /// That of a byte in xls and xlsb. Source: [MS-XLS] 2.5.10, [MS-XLSB] 2.5.97.2 BErr.
    pub fn of_code(code: u8) -> Self {
        match code {
            0x00 => Self::Null,
            0x07 => Self::Div0,
            0x0f => Self::Value,
            0x17 => Self::Ref,
            0x1d => Self::Name,
            0x24 => Self::Num,
            0x2b => Self::GettingData,
            _ => Self::NotAvailable,
        }
    }

    /// As the sheet shows it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Null => "#NULL!",
            Self::Div0 => "#DIV/0!",
            Self::Value => "#VALUE!",
            Self::Ref => "#REF!",
            Self::Name => "#NAME?",
            Self::Num => "#NUM!",
            Self::NotAvailable => "#N/A",
            Self::GettingData => "#GETTING_DATA",
            Self::Spill => "#SPILL!",
            Self::Calc => "#CALC!",
            Self::Field => "#FIELD!",
            Self::Blocked => "#BLOCKED!",
            Self::Connect => "#CONNECT!",
            Self::Busy => "#BUSY!",
            Self::Unknown => "#UNKNOWN!",
            Self::External => "#EXTERNAL!",
            Self::Python => "#PYTHON!",
        }
    }

    /// The error value that a text is.
    pub fn parse(text: &str) -> Option<Self> {
        ERRORS.into_iter().find(|error| error.text() == text)
    }
}
