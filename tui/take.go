package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// tickEvery is how often ages move on.
const tickEvery = time.Second

func tickAfter() effect { return after{tickEvery, tickMsg{}} }

// take gives a message to what it is for.
func (m *model) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.size = views.Extent{W: m.width, H: m.height}.After(m.size)
		m.modal.rearm(m.opts.Now())
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.FocusMsg:
		m.mouse.focused = m.opts.Now()
		m.modal.rearm(m.opts.Now())
	case tea.BlurMsg:
		m.modal.rearm(m.opts.Now())
	case tea.KeyPressMsg:
		m.pressed = true
		m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tickMsg:
		m.tick()
	case infoMsg:
		m.onInfo(msg)
	case pageMsg:
		m.onPage(msg)
	case detailMsg:
		m.onDetail(msg)
	case typesMsg:
		m.onTypes(msg)
	case actedMsg:
		m.onActed(msg)
	case auditMsg:
		m.onAudit(msg)
	case answeredMsg:
		m.onAnswered(msg)
	case targetMsg:
		m.onTarget(msg)
	case previewMsg:
		m.onPreview(msg)
	case settingsMsg:
		m.onSettings(msg)
	case rewatchMsg:
		m.do(gather{})
	case changedMsg:
		m.onChanged(msg)
	case lookMsg:
		if msg.n == m.asked.looks {
			m.ask(slotDetail)
		}
	case typedMsg:
		if msg.n == m.typed.count && m.typed.field != nil && !m.typed.find {
			m.refilter(m.typed.field.Text())
		}
	default:
		m.takeTool(msg)
	}
}

// takeTool takes what tools answer.
func (m *model) takeTool(msg tea.Msg) {
	switch msg := msg.(type) {
	case filedMsg:
		m.onFiled(msg)
	case groupsMsg:
		m.onGroups(msg)
	case diffMsg:
		m.onDiff(msg)
	case keptMsg:
		m.onKept(msg)
	default:
		m.takeLeaving(msg)
	}
}

// tick moves the ages on. What failed may be asked again; without a
// subscription everything is read again every pollEvery.
func (m *model) tick() {
	m.do(tickAfter())
	if m.leave.closing && !m.leave.draining() {
		return
	}
	m.asked.rest = [slotCount]bool{}
	m.ask(slotInfo)
	m.ask(slotTarget)
	m.catchUp()
	if m.link.unsure && !m.header.Frozen { // once a second, however many are missed
		m.link.unsure = false
		m.readTeardowns(true)
		m.ask(slotDetail)
	}
	m.count()
	now := m.opts.Now()
	if !m.link.live && now.Sub(m.link.polled) >= pollEvery {
		m.link.polled = now
		m.refresh()
	}
	m.relink()
}

func (m *model) onInfo(msg infoMsg) {
	if !m.asked.answered(slotInfo, msg.n, msg.err) || m.leave.closing && parting(msg) {
		return
	}
	m.link.trouble = msg.err
	if msg.err == nil {
		m.link.read = m.opts.Now()
		if !m.header.Frozen || standsApart(m.header.Info, msg.info) {
			m.header.Info, m.header.Known = m.oneSnapshot(msg.info), true
		}
		m.leave.recheck = false
		if q, ok := m.modal.top.(views.Quit); ok {
			q.Info = msg.info
			m.modal.top = q
		}
	}
	m.relink()
	m.repeat(slotInfo)
}

// oneSnapshot is info with the counts of the list that is shown: header, tabs and
// list never contradict each other. Where they differ the list was read before
// info, or is being read; a notice of what changed brings the next read, and if
// none comes a tick does. A list that cannot be read holds nothing back.
func (m *model) oneSnapshot(info flow.Info) flow.Info {
	id := m.current()
	if !m.header.Known || m.leave.closing || !m.listed() || !m.lists[id].Read() || info.Counts == m.header.Info.Counts {
		return info
	}
	info.Counts = m.header.Info.Counts
	m.link.behind = true
	return info
}

// catchUp reads the list again when its counts differ from those of info for more
// than a tick.
func (m *model) catchUp() {
	late := m.link.late
	m.link.late = m.link.behind
	if id := m.current(); late && m.link.behind && !m.header.Frozen && m.listed() && m.asked.free(slotOf(id)) {
		m.readList(id, views.Again)
	}
}

// parting reports an answer of an engine that is being closed, which tells
// nothing about the store.
func parting(msg infoMsg) bool { return msg.err != nil || msg.info.Lease.State != flow.LeaseHeld }

// standsApart reports a change that even a frozen console shows.
func standsApart(was, is flow.Info) bool {
	return was.Lease.State != is.Lease.State || was.Lease.Epoch != is.Lease.Epoch || was.Health != is.Health ||
		was.Mode != is.Mode
}

func (m *model) onPage(msg pageMsg) {
	s := slotOf(msg.list)
	if !m.asked.answered(s, msg.n, msg.err) || m.leave.closing {
		return
	}
	if msg.err != nil {
		m.lists[msg.list] = m.lists[msg.list].Failed(msg.err)
	} else {
		m.lists[msg.list] = m.lists[msg.list].Take(msg.part, msg.page)
		m.caught(msg.list)
		m.foundBlocker(msg.list)
		m.compareClocks(msg.page.Runs)
		if !m.header.Frozen && m.header.Known {
			m.header.Info.Counts = msg.page.Counts
		}
	}
	m.repeat(s)
}

func (m *model) onDetail(msg detailMsg) {
	if !m.asked.answered(slotDetail, msg.n, msg.err) || msg.ref != m.inspector.Ref || m.leave.closing {
		return
	}
	if msg.err != nil {
		m.inspector = m.inspector.Failed(msg.err)
	} else {
		m.inspector = m.inspector.Take(msg.part, msg.detail)
		if msg.part == flow.PartFamily {
			m.inspector = m.inspector.WithKin(msg.kin)
		}
		if msg.left.sought {
			m.inspector = m.inspector.Owes(msg.left.owed, msg.left.dead)
		}
		for i := range m.lists {
			m.lists[i] = m.lists[i].Learn(msg.detail.Run)
		}
		if m.inspector.Tab.Part() != msg.part {
			m.asked.again[slotDetail] = true
		}
	}
	m.repeat(slotDetail)
}

func (m *model) onTypes(msg typesMsg) {
	if !m.asked.answered(slotTypes, msg.n, msg.err) || m.leave.closing {
		return
	}
	if msg.err != nil {
		m.types = m.types.Failed(msg.err)
	} else {
		m.types = m.types.Take(msg.types)
	}
	m.repeat(slotTypes)
}
